"""The bundle with which a machine without Snakemake measures a plan: commands and files."""

import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from planning.cells import Run
from planning.columns import Column
from planning.config import ConfigError
from planning.groups import Group
from planning.identity import WORKFLOW

AT_THE_TOP = ("run_bundle.py", "README.txt")
# The code that measures, and what it imports; not what plans or draws.
SOURCES = (
    *("contract/*.py", "deploy/*.py", "measure/**/*.py", "supervise/*.py"),
    *("measure/models/*/*.pyx", "schemas/*.json"),
)


def check_portable(plan) -> None:
    """Raise :class:`ConfigError` for a plan that depends on the machine that it is made on."""
    plan.check_said("a bundle is for another")
    for place, column in enumerate(plan.columns):
        if column.interpreter:
            raise ConfigError(
                "interpreters: belong to this machine; name those of the other one to run_bundle.py"
            )
        if column.overlay:
            raise ConfigError(
                f"columns.{place}.overlay: a bundle installs nothing; name an interpreter that "
                "holds it to run_bundle.py"
            )


def document(plan) -> dict:
    """Return ``bundle.json``: the jobs of each round of a workload, in measuring order. A job lists
    one or more columns that can run it, with their options.
    """
    steps = [_group(plan, group) for group in plan.groups]
    first = len([group for group in plan.groups if group.number == 1])
    return {
        "results": plan.results,
        "scale": plan.scale,
        "accelerators": plan.accelerators,
        "steps": [*steps[:first], [_known_steps(plan)], *steps[first:]],
        "self_test": {
            "known_steps": plan.controls.known_steps.path,
            "pairs": [[plan.runs[r.position].record, r.record] for r in plan.controls.again],
            "output": plan.self_test,
        },
        "columns": {
            column.name: {
                "names": [column.name, column.framework.name, plan.environment_of(column).name],
                "marker": plan.environment_of(column).marker,
                "definition": _name(plan.environment_of(column).definition),
            }
            for column in plan.columns
        },
    }


def _group(plan, group: Group) -> list[dict]:
    around = f"--around={next(iter(group.references))}"
    about = [f"--results={plan.results}", f"--device={plan.config['device']}", around]
    rounds = ["--round", f"{plan.scale}/{group.name}", "--accelerators", *plan.accelerators]
    references = [
        {
            "output": path,
            "command": ["reference", "--output", path, *about, *rounds],
            "by": [
                _by(plan, column, plan.controls.reference_of(column))
                for column in plan.controls.candidates[kind]
            ],
        }
        for kind, path in group.references.items()
    ]
    return [*references, *(_run(plan, run, about, plan.resident(group)) for run in group.runs)]


def _run(plan, run: Run, about: list[str], resident: int) -> dict:
    folders = [f"--folder={name}" for name, _ in _folders(plan)]
    limit = f"--time-limit-s={plan.time_limit_s}"
    command = ["cell", "--record", run.record, *about, limit, *folders]
    by = [_by(plan, run.column, run.identity)]
    return {"output": run.record, "command": command, "by": by, "resident": resident}


def _known_steps(plan) -> dict:
    controls = plan.controls
    path = controls.known_steps.path
    columns = controls.candidates[controls.column.accelerator]
    by = [_by(plan, column, controls.known_steps_of(column)) for column in columns]
    return {"output": path, "command": ["known_steps", "--output", path], "by": by}


def _by(plan, column: Column, identity: str) -> dict:
    """Return a column that can run a job, and its options."""
    environment = plan.environment_of(column)
    options = ["--deployment=interpreter", f"--definition={_name(environment.definition)}"]
    options += [f"--environment={environment.marker}", f"--memory-gib={plan.memory_gib}"]
    return {"column": column.name, "identity": identity, "options": options}


def write(plan, output: Path) -> None:
    """Write the zip; the same plan and sources give the same bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    texts = {"bundle.json": document(plan), f"{plan.results}/plan.json": plan.document()}
    contents = {name: json.dumps(text, indent=1).encode() for name, text in texts.items()}
    contents |= {name: path.read_bytes() for name, path in files(plan).items()}
    with zipfile.ZipFile(partial, "w") as zipped:
        for name, content in sorted(contents.items()):
            zipped.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    os.replace(partial, output)


def files(plan) -> dict[str, Path]:
    """Return the sources and the user's files of the bundle, by their names in the zip."""
    found = {name: WORKFLOW / "bundle" / name for name in AT_THE_TOP}
    for pattern in SOURCES:
        for path in WORKFLOW.glob(pattern):
            found[f"workflow/{path.relative_to(WORKFLOW).as_posix()}"] = path
    for definition in {plan.environment_of(column).definition for column in plan.columns}:
        for path in (definition, definition.with_suffix(".post-deploy.sh")):
            found[_name(path)] = path
    for name, folder in _folders(plan):
        found |= {f"{name}/{path.relative_to(folder).as_posix()}": path for path in _own(folder)}
    return found


def _name(definition: Path) -> str:
    """Return a definition's name in the bundle: ``envs/<stack>/<accelerator>/<file>``."""
    return "/".join(("envs", *definition.parts[-3:]))


def _folders(plan) -> list[tuple[str, Path]]:
    """Return the user's folders, each with its name in the bundle: folders/0, folders/1, ..."""
    return [(f"folders/{k}", Path(folder)) for k, folder in enumerate(plan.config["folders"])]


def _own(folder: Path) -> Iterator[Path]:
    """Yield the files of the user's models and frameworks that are plain and not hidden."""
    for part in ("models", "frameworks"):
        for path in sorted((folder / part).rglob("*")):
            inside = path.relative_to(folder).parts
            if path.is_file() and not any(name.startswith((".", "__pyc")) for name in inside):
                yield path
