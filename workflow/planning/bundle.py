"""The bundle with which a machine without Snakemake measures a plan: its runs, and their files."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from packing.sealed_zip import write_zip
from planning.blocks import Block
from planning.columns import Column
from planning.config import ConfigError
from planning.identity import WORKFLOW

SCHEMA = "millistep.bundle/4"
ENTRY = "workflow/bundle"  # holds the files that are at the top of the zip
AT_THE_TOP = ("run_bundle.py", "README.txt")
# The code that measures, and what it imports; not what plans or draws.
SOURCES = (
    "bundle/*.py",
    "contract/*.py",
    "deploy/*.py",
    "machine_card/*.py",
    "measure/**/*.py",
    "measure/models/*/*.pyx",
    "measure/native/*.[ch]*",
    "packing/*.py",
    "schemas/record.schema.json",
    "supervise/*.py",
)


def check_portable(plan) -> None:
    """Raise :class:`ConfigError` for a plan that depends on the machine that it is made on."""
    plan.check_said("a bundle is for another")
    if any(column.interpreter for column in plan.columns):
        raise ConfigError(
            "interpreters: are this machine's; those of the other one are named to run_bundle.py"
        )
    for place, column in enumerate(plan.columns):
        if column.overlay:
            raise ConfigError(
                f"columns.{place}.overlay: a bundle installs nothing; name an interpreter that "
                "holds it to run_bundle.py"
            )


def document(plan) -> dict:
    """The content of ``bundle.json``: the plan with its blocks, in the order of measuring."""
    return {
        "schema": SCHEMA,
        "scale": plan.scale,
        "results": plan.results,
        "accelerators": plan.accelerators,
        "device": plan.config["device"],
        "environment": plan.config["environment"],
        "threads": max([plan.threads, *(column.threads for column in plan.columns)]),
        "time_limit_s": plan.time_limit_s,
        "memory_gib": plan.memory_gib,
        "folders": [name for name, _ in _folders(plan)],
        "columns": {column.name: _column(plan, column) for column in plan.columns},
        "blocks": [_block(plan, block) for block in plan.blocks],
        "canaries": {
            kind: [
                {"column": column.name, "identity": plan.controls.canary_of(column)}
                for column in plan.controls.candidates[kind]
            ]
            for kind in plan.accelerators
        },
        "known_steps": _known_steps(plan),
    }


def _column(plan, column: Column) -> dict:
    environment = plan.environment_of(column)
    return {
        "framework": column.framework.name,
        "accelerator": column.accelerator,
        "environment": environment.name,
        "marker": environment.marker,
        "definition": _name(environment.definition),
        "definition_sha256": environment.sha256,
    }


def _block(plan, block: Block) -> dict:
    """A block and its runs in order; ``again``: the record that the self-test compares it with."""
    first = {run.record: plan.runs[run.position].record for run in plan.controls.again}
    return {
        "path": block.path,
        "row": vars(block.row),
        "round": block.number,
        "runs": [
            {
                "record": run.record,
                "column": run.column.name,
                "identity": run.identity,
                "again": first.get(run.record),
            }
            for run in block.runs
        ],
    }


def _known_steps(plan) -> dict:
    """The known steps for each column whose environment could measure them, the preferred first.

    Which of these has an interpreter is found out where the bundle is run.
    """
    controls = plan.controls
    found = [
        {"column": column.name, "identity": controls.known_steps_of(column)}
        for column in controls.candidates[controls.column.accelerator]
    ]
    return {"path": controls.known_steps.path, "possible": found}


def write(plan, output: Path) -> None:
    """Write the zip; the same plan and sources give the same bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    content = json.dumps(document(plan), indent=1) + "\n"
    write_zip({"bundle.json": content.encode(), **files(plan)}, partial)
    os.replace(partial, output)


def files(plan) -> dict[str, Path]:
    """Every file of the bundle except ``bundle.json``, by its name in the zip."""
    found = {name: WORKFLOW.parent / ENTRY / name for name in AT_THE_TOP}
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
    """A definition's name in the bundle: ``envs/<stack>/<accelerator>/<file>``."""
    return "/".join(("envs", *definition.parts[-3:]))


def _folders(plan) -> list[tuple[str, Path]]:
    """The user's folders of models, each with its name in the bundle: folders/0, folders/1, ..."""
    return [(f"folders/{k}", Path(folder)) for k, folder in enumerate(plan.config["folders"])]


def _own(folder: Path) -> Iterator[Path]:
    """The files of the user's models and frameworks that are plain and not hidden."""
    for part in ("models", "frameworks"):
        for path in sorted((folder / part).rglob("*")):
            inside = path.relative_to(folder).parts
            if path.is_file() and not any(name.startswith((".", "__pyc")) for name in inside):
                yield path
