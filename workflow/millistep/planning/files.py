"""Files for and from other programs: plan.json, the bundle for another machine, configurations."""

import argparse
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from millistep.deploy.conda import post_deploy
from millistep.deploy.virtual_environments import write_atomically
from millistep.planning.catalog import PARTS
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError, check_readable, or_one_line
from millistep.planning.controls import Control
from millistep.planning.identity import PACKAGE
from millistep.planning.plan import Plan
from millistep.planning.runs import AUTO, Group
from millistep.planning.this_machine import check_independent

AT_THE_TOP = ("run_bundle.py", "README.txt")
# The code that measures, and what it imports; not what plans or draws.
SOURCES = ("*.py", "contracts/*.py", "deploy/*.py", "measure/**/*.py", "supervise/*.py")


def check_portable(plan: Plan) -> None:
    """Raise :class:`ConfigError` for a plan that depends on the machine that it is made on."""
    check_independent(plan.config, "a bundle is for another")
    if plan.config.runs == AUTO:
        raise ConfigError("runs: auto depends on results; a bundle needs a number, such as runs=7")
    for place, column in enumerate(plan.columns):
        if column.interpreter or column.overlay:
            raise ConfigError(
                f"columns.{place}: interpreters and overlays belong to this machine; a bundle"
                " installs nothing, so name the other machine's interpreters to run_bundle.py"
            )


def bundle_document(plan: Plan) -> dict[str, Any]:
    """Return ``bundle.json``: all jobs in measuring order, with the columns that can run each."""
    known_steps, pairs = plan.controls.known_steps, plan.controls.pairs
    job = _job(plan, known_steps, known_steps.path, "known-steps")
    first = [_group(plan, group) for group in plan.groups if group.number == 1]
    later = [_group(plan, group) for group in plan.groups if group.number > 1]
    return {
        "results": plan.results,
        "scale": plan.scale,
        "steps": [*first, [job], *later],
        "self_test": {"known_steps": known_steps.path, "pairs": pairs, "output": plan.self_test},
        "columns": {column.name: _column(plan, column) for column in plan.columns},
    }


def _column(plan: Plan, column: Column) -> dict[str, Any]:
    environment = plan.environment_of(column)
    return {
        "names": [column.name, column.framework.name, environment.name],
        "marker": environment.marker,
        "definition": _name(environment.definition),
    }


def _group(plan: Plan, group: Group) -> list[dict[str, Any]]:
    about = [f"--results={plan.results}", f"--device={plan.config.device}"]
    about += [f"--around={group.around}", f"--round={plan.scale}/{group.name}"]
    of_reference = [*about, "--accelerators", *plan.accelerators]
    of_cell = [*about, f"--time-limit-s={plan.time_limit_s}"]
    of_cell += [f"--folder={name}" for name, _ in _folders(plan)]
    jobs = [
        _job(plan, plan.controls.references[kind], path, "reference", *of_reference)
        for kind, path in group.references.items()
    ]
    return jobs + [
        {
            "output": run.record,
            "command": ["cell", "--record", run.record, *of_cell],
            "by": [_by(plan, run.column, run.identity)],
            "at_once": plan.at_once(group),  # memory limits it on the other machine
        }
        for run in group.runs
    ]


def _job(plan: Plan, control: Control, path: str, name: str, *options: str) -> dict[str, Any]:
    """Return the job of a control: any of its columns can run it."""
    by = [_by(plan, each, control.identity_of(each)) for each in control.columns]
    return {"output": path, "command": [name, "--output", path, *options], "by": by}


def _by(plan: Plan, column: Column, identity: str) -> dict[str, Any]:
    environment = plan.environment_of(column)
    wanted = environment.wanted(use_conda=False)
    # The marker is that of the interpreter which run_bundle.py is given.
    wanted |= {"definition": _name(environment.definition), "method": "interpreter"}
    options = [f"--identity={identity}", f"--environment={json.dumps(wanted)}"]
    options += [f"--memory-gib={plan.config.limits.memory_gib}"]
    return {"column": column.name, "identity": identity, "options": options}


def write_bundle(plan: Plan, output: Path) -> None:
    """Write the zip; the same plan and sources give the same bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    contents = {name: path.read_bytes() for name, path in bundle_files(plan).items()}
    contents["bundle.json"] = json.dumps(bundle_document(plan), indent=1).encode()
    with zipfile.ZipFile(partial, "w") as zipped:
        for name, content in sorted(contents.items()):
            zipped.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    os.replace(partial, output)


def bundle_files(plan: Plan) -> dict[str, Path]:
    """Return the sources and the user's files of the bundle, by their names in the zip."""
    found = {name: PACKAGE / "bundle" / name for name in AT_THE_TOP}
    sources = (path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    found |= {f"millistep/{path.relative_to(PACKAGE).as_posix()}": path for path in sources}
    for definition in {plan.environment_of(column).definition for column in plan.columns}:
        both = (definition, post_deploy(definition))
        found |= {_name(path): path for path in both if path.is_file()}
    for name, folder in _folders(plan):
        found |= {f"{name}/{path.relative_to(folder).as_posix()}": path for path in _own(folder)}
    return found


def _name(definition: Path) -> str:
    """Return a definition's name in the bundle: ``envs/<stack>/<accelerator>/<file>``."""
    return "/".join(("envs", *definition.parts[-3:]))


def _folders(plan: Plan) -> list[tuple[str, Path]]:
    """Return the user's folders, each with its name in the bundle: folders/0, folders/1, ..."""
    return [(f"folders/{k}", Path(folder)) for k, folder in enumerate(plan.config.folders)]


def _own(folder: Path) -> Iterator[Path]:
    """Yield the files of the user's models and frameworks that are plain and not hidden."""
    for part in PARTS:
        for path in (folder / part).rglob("*"):
            inside = path.relative_to(folder).parts
            if path.is_file() and not any(name.startswith((".", "__pyc")) for name in inside):
                yield path


def planned() -> tuple[Plan, Path]:
    """Return the plan that a rule needs, and the file to be made of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the whole configuration, as JSON")
    parser.add_argument("--elsewhere", action="store_true", help="not measured on this machine")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    return or_one_line(Plan, json.loads(options.config), not options.elsewhere), options.output


def write_plan() -> None:
    """Write the plan, for the analysis."""
    found, output = planned()
    write_atomically(output, json.dumps(found.document(), indent=1) + "\n")


def pack_bundle() -> None:
    """Write the zip with which a machine without Snakemake, conda or a network measures a plan."""
    found, output = planned()
    write_bundle(found, output)
    size_kib = output.stat().st_size / 1024
    print(f"{output}: {len(found.runs)} runs, {size_kib:.0f} KiB", file=sys.stderr)


def check_files() -> None:
    """Report errors in configuration files that Snakemake itself could not read.

    Snakemake reads the files of ``--configfile`` before the Snakefile. Its message names neither
    file nor line, and ``--quiet all`` suppresses the message.
    """
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    check_readable(parser.parse_known_args()[0].configfile)  # the others are Snakemake's
