"""A run's fingerprint: everything that defines its number, as one string of sorted-keys JSON."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millistep.measure.protocol import MEASURE, PROTOCOLS
from millistep.planning.columns import Column
from millistep.planning.runs import Row
from millistep.supervise import sources

if TYPE_CHECKING:
    from millistep.planning.plan import Plan

PACKAGE = Path(__file__).parent.parent
ENVS = PACKAGE.parent.parent / "envs"  # in a clone or an unpacked bundle, not in a wheel
digest = cache(sources.digest)  # of the user's files, which many cells share


def of_run(cell: dict[str, Any], number: int) -> str:
    """Return the identity of one run of a cell, given the facts of the cell."""
    own = {"run": number, "seed": cell["seed"] + number - 1}
    return text({**cell, **own} if number == 1 else {**cell, **own, "extras": [], "probes": []})


def of_cell(plan: Plan, row: Row, column: Column) -> dict[str, Any]:
    """Return the facts of a cell and its first run; no other column or row changes them.

    Profiles, other sizes and the published timing method belong to a cell's first run. A regression
    check has no time for sizes and methods.
    """
    model = plan.models.load(row.model)
    about, builders, framework = model.tasks[row.task], model.folder.name, column.framework
    folders = tuple(map(Path, plan.config.folders))
    extras = ["legacy", "profile"] if about.published else ["profile"]
    # Half the batch shows whether a step is work or fixed cost (half fits into memory wherever the
    # whole does), and the lengths show whether each token costs the same.
    probes = [{"batch_size": row.batch_size // 2 or 2}, *about.probes_at(plan.scale)]
    more: dict[str, Any] = {"builders": builders} if builders != row.model else {}
    if plan.config.answer is not None:
        extras, probes = ["profile", "calls", "outcome"], []
        more["windows"] = PROTOCOLS[plan.scale].check_windows
    return {
        **of_column(plan, column),
        **column.of_framework,
        "architecture": model.architecture[plan.scale],
        "batch_size": row.batch_size,
        "column": column.name,
        "extras": extras,
        "family": framework.family,
        "files": digest(folders, builders, framework.family, framework.module),
        "least_memory_mib": model.least_memory_mib(row.task, plan.scale),
        "model": row.model,
        "module": framework.module,
        "parameters": about.parameters[plan.scale],
        "precision": column.precision,
        "probes": probes,
        "task": row.task,
        "trains": about.trains,
        "weights": plan.config.weights,
        **more,
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
