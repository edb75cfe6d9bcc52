"""Which files an archive holds: what was measured, and the sources that measured and drew it."""

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from analysis.results.plan import Plan

FILES = ("Snakefile", "workflow/Snakefile", "Makefile", "README.md", "CONTRIBUTING.md")
FILES += ("CHANGELOG.md", "LICENSE", "CITATION.cff", "pyproject.toml", "Containerfile")
FOLDERS = ("benchmarks", "config", "docs", "envs", "profiles", "workflow", "report", "reference")
KINDS = {".c", ".cff", ".cpp", ".csv", ".css", ".h", ".in", ".j2", ".json", ".js", ".md", ".py"}
KINDS |= {".pyx", ".rst", ".sh", ".smk", ".toml", ".txt", ".yaml", ".yml"}
DRAWING = ("workflow/analysis/", "workflow/contract/", "workflow/schemas/", "report/", "reference/")
OWN_LOG = "archive.log"  # still being written


def source_names(root: Path, folders: Iterable[str]) -> list[str]:
    """Source files below `root`: our own, and the user's models and frameworks in these folders.
    Files that are hidden, generated, links or of another kind are left out.
    """
    found = [name for name in FILES if (root / name).is_file()]
    users = [f"{folder}/{name}" for folder in folders for name in ("models", "frameworks")]
    for folder in map(os.path.normpath, (*FOLDERS, *users)):
        found += [path.relative_to(root).as_posix() for path in _sources(root / folder)]
    return sorted(set(found))


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith((".", "__pycache__")) or path.is_symlink():
            continue
        if path.is_dir():
            yield from _sources(path)
        elif path.suffix in KINDS:
            yield path


def files_below(folder: Path, top: str = "") -> list[str]:
    """The names of all files below `top`, relative to `folder` and sorted."""
    below = (folder / top).rglob("*")
    return sorted(path.relative_to(folder).as_posix() for path in below if path.is_file())


def raw_names(plan: Plan, found: Iterable[str]) -> list[str]:
    """The files found in a project from which the results are computed."""
    planned = {run.record for cell in plan.cells.values() for run in cell.runs}
    planned |= {block.path for block in plan.blocks}
    planned |= {f"{plan.results}/plan.json", plan.self_test}
    cards = plan.machine_card("*")
    return sorted(name for name in found if name in planned or fnmatchcase(name, cards))


def other_names(plan: Plan, found: Iterable[str]) -> list[str]:
    """The files found in a project that say what was installed and what the self-test is made of,
    and the logs of what was planned.
    """
    raw = raw_names(plan, found)
    logs = {name.replace("/records/", "/logs/").replace(".json", ".log") for name in raw}
    documents = (f"{plan.results}/environments/", f"{plan.results}/self_test/{plan.scale}/")
    return sorted(
        name
        for name in found
        if name in logs
        or (name.startswith(documents) and name.endswith(".json"))
        or (name.startswith(f"{plan.results}/logs/") and _is_shared_log(name, plan))
    )


def _is_shared_log(name: str, plan: Plan) -> bool:
    """True for the log of an environment or a rule, not of a run or another scale's self-test."""
    first, *folders = name.removeprefix(f"{plan.results}/logs/").split("/")
    other_scales = {"paper", "laptop", "smoke"} - {plan.scale}
    runs = first in {plan.scale, *other_scales}
    return name.endswith(".log") and first != OWN_LOG and not (runs or other_scales & {*folders})
