"""A run's fingerprint: everything that defines its number, as one string of sorted-keys JSON."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millistep.measure.protocol import MEASURE
from millistep.planning.catalog import Model
from millistep.planning.columns import Column
from millistep.planning.runs import Row
from millistep.supervise import sources

if TYPE_CHECKING:
    from millistep.planning.plan import Plan

PACKAGE = Path(__file__).parent.parent
ENVS = PACKAGE.parent.parent / "envs"  # in a clone or an unpacked bundle, not in a wheel


def of_run(plan: Plan, row: Row, column: Column, number: int) -> str:
    """Return the identity of one run of a cell; no other column or row changes it.

    Profiles, other sizes and the published timing method belong to a cell's first run. A regression
    check has no time for sizes and methods.
    """
    model = plan.models.load(row.model)
    answers = plan.config.answer is not None
    published = model.tasks[row.task].published and not answers
    extras = ["legacy"] if published else []
    extras += ["profile", *(["calls", "outcome"] if answers else [])]
    cell = (row, column.name)
    if cell not in plan.facts_of_cells:
        plan.facts_of_cells[cell] = _of_cell(plan, model, row, column)
    return text(
        {
            **plan.facts_of_cells[cell],
            "extras": extras if number == 1 else [],
            "probes": probes(model, row, plan.scale) if number == 1 and not answers else [],
            "run": number,
            "seed": plan.config.seed + number - 1,
        }
    )


def _of_cell(plan: Plan, model: Model, row: Row, column: Column) -> dict[str, Any]:
    about, builders = model.tasks[row.task], model.folder.name
    folders = (*map(Path, plan.config.folders),)
    return {
        **of_column(plan, column),
        **column.of_framework,
        "architecture": model.architecture[plan.scale],
        "batch_size": row.batch_size,
        "column": column.name,
        "family": column.framework.family,
        "files": _files(folders, builders, column.framework.family, column.framework.module),
        "least_memory_mib": model.least_memory_mib(row.task, plan.scale),
        "model": row.model,
        "module": column.framework.module,
        "parameters": about.parameters[plan.scale],
        "precision": column.precision,
        "task": row.task,
        "trains": about.trains,
        "weights": plan.config.weights,
        **({"builders": builders} if builders != row.model else {}),
    }


def of_column(plan: Plan, column: Column) -> dict[str, Any]:
    """Return the facts of everything that is timed in a column's environment."""
    environment = plan.environment_of(column)
    return {
        "accelerator": column.accelerator,
        "device": plan.config.device if column.accelerator == "cuda" else None,
        "environment": environment.sha256,
        "framework": column.framework.name,
        "interpreter": environment.interpreter,
        "library": column.framework.library,
        "measure": MEASURE,
        "scale": plan.scale,
        "seed": plan.config.seed,
        "threads": column.threads,
        "variables": plan.config.environment,
    }


def text(facts: dict[str, Any]) -> str:
    """Return an identity's facts as one string; equal facts give equal strings."""
    return json.dumps(facts, sort_keys=True)


@cache
def _files(folders: tuple[Path, ...], model: str, family: str, framework: str) -> str:
    return sources.digest(folders, model, family, framework)


def probes(model: Model, row: Row, scale: str) -> list[dict[str, Any]]:
    """Return the other sizes that a cell's first run times: half the batch, other lengths.

    Half the batch shows whether a step is work or fixed cost (half fits into memory wherever the
    whole does), and the lengths show whether each token costs the same.
    """
    lengths = model.tasks[row.task].probes_at(scale)
    return [{"batch_size": row.batch_size // 2 or 2}, *lengths]
