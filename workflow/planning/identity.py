"""A run's identity: everything that defines its number, as one string of sorted-keys JSON."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from planning.cells import Row
from planning.columns import Column
from planning.models import Model
from supervise import sources

WORKFLOW = Path(__file__).parent.parent
MEASURE = WORKFLOW / "measure"
# Every cell uses these: what runs beside a step may disturb it. None only interprets a record.
CORE = (
    MEASURE / "child.py",
    WORKFLOW / "supervise" / "parent.py",
    WORKFLOW / "supervise" / "sampler.py",
)
# What follows the timed steps, and in how many of a cell's first runs. The published arithmetic
# needs one run. Two profiles of a cell differ by up to a factor of two, so a statement about them
# needs an interval over runs, which three give. Always the first runs, so that another number of
# runs leaves every identity as it is.
EXTRAS = {"legacy": 1, "profile": 3}
PADS = ("keras2", "keras3")  # families that pad a prompt to the length of the cache


def of_run(plan, row: Row, column: Column, number: int) -> str:
    """The identity of one run of a cell; no other column or row changes it."""
    model: Model = plan.models.load(row.model)
    published = bool(model.tasks[row.task]["published"])
    cell = (row, column.name)
    if cell not in plan.facts_of_cells:
        plan.facts_of_cells[cell] = _of_cell(plan, model, row, column)
    return text(
        {
            **plan.facts_of_cells[cell],
            "extras": extras(published, number),
            "probes": probes(model, row, plan.scale, column.framework.family, number),
            "run": number,
            "seed": plan.config["seed"] + number - 1,
        }
    )


def _of_cell(plan, model: Model, row: Row, column: Column) -> dict:
    """The facts that all runs of a cell share."""
    about, builders = model.tasks[row.task], model.folder.name
    return {
        **of_column(plan, column),
        **column.of_framework,
        "architecture": model.architecture[plan.scale],
        "batch_size": row.batch_size,
        "column": column.name,
        "least_memory_mib": model.least_memory_mib(row.task, plan.scale),
        "model": row.model,
        "module": column.framework.module,
        "parameters": about["parameters"][plan.scale],
        "precision": column.precision,
        "sources": _sources(entries(plan, row, column), (*map(Path, plan.config["folders"]),)),
        "task": row.task,
        "trains": about["trains"],
        "weights": plan.config["weights"],
        **({"builders": builders} if builders != row.model else {}),
    }


def extras(published: bool, number: int) -> list[str]:
    """What a run measures besides its steps; the published arithmetic only for published rows."""
    decisive = [extra for extra, runs in EXTRAS.items() if number <= runs]
    return [extra for extra in decisive if published or extra != "legacy"]


def of_column(plan, column: Column) -> dict:
    """The facts shared by everything that is timed in a column's environment."""
    environment = plan.environment_of(column)
    return {
        "accelerator": column.accelerator,
        "device": plan.config["device"] if column.accelerator == "cuda" else None,
        "environment": environment.sha256,
        "framework": column.framework.name,
        "interpreter": environment.interpreter,
        "library": column.framework.library,
        "scale": plan.scale,
        "seed": plan.config["seed"],
        "threads": column.threads,
        "variables": plan.config["environment"],
    }


def text(facts: dict) -> str:
    """An identity's facts as one string; equal facts give equal strings."""
    return json.dumps(facts, sort_keys=True)


def entries(plan, row: Row, column: Column) -> tuple[Path, ...]:
    """The sources that a cell's imports are followed from: the core, its framework, its model's
    builders, and in a user's model all files that its code may read.
    """
    model: Model = plan.models.load(row.model)
    framework = column.framework
    names = (f"{framework.family}.py", "work.py")
    own = not model.folder.is_relative_to(MEASURE)
    read = sources.read_by(model.folder) if own else ()
    return (*CORE, framework.file, *(model.folder / name for name in names), *read)


@cache
def _sources(files: tuple[Path, ...], folders: tuple[Path, ...]) -> str:
    """Digest of these files and of all that they import."""
    return sources.digest(WORKFLOW, files, folders)


def probes(model: Model, row: Row, scale: str, family: str, number: int) -> list[dict]:
    """The other sizes that are timed in the process of a run: half the batch, other lengths.

    Half the batch shows whether a step is work or fixed cost (half fits into memory wherever the
    whole does), and the lengths whether each token costs the same; one run is enough for both, and
    each size is one more compilation. The shortest and the longest show what share of a step is
    padding, which needs an interval over runs: families that pad have these two in every run.
    """
    lengths: list[dict] = model.tasks[row.task].get("probes", {}).get(scale, [])
    if number == 1:
        return [{"batch_size": row.batch_size // 2 or 2}, *lengths]
    found = [probe["max_length"] for probe in lengths if "max_length" in probe]
    if not found or family not in PADS:
        return []
    return [probe for probe in lengths if probe.get("max_length") in (min(found), max(found))]
