"""Cells that are known not to run, each with its reason: no time is spent on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING

from millistep.contracts.config import Unsupported
from millistep.contracts.model import Incapable
from millistep.contracts.settings import SETTINGS
from millistep.planning.catalog import Model
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError, check_known
from millistep.planning.runs import Row

if TYPE_CHECKING:
    from millistep.planning.plan import Plan


def unsupported(plan: Plan) -> dict[tuple[Row, Column], str]:
    """Return the cells that are known not to run, each with its reason."""
    names = dict.fromkeys([*(column.name for column in plan.columns), *plan.frameworks])
    for entry in plan.config.unsupported:
        _check("unsupported", plan.models.load(entry.model), entry.task, entry.column, names)
    for model in map(plan.models.load, plan.measured_models):
        for of_model in model.unsupported:
            # It may name columns that this configuration lacks, of frameworks that exist.
            framework = of_model.column.partition("+")[0]
            _check(f"{model.file}: unsupported", model, of_model.task, framework, plan.frameworks)
    cells = product(plan.rows, plan.columns)
    return {cell: reason for cell in cells if (reason := next(_reasons(plan, *cell), None))}


def _check(where: str, model: Model, task: str | None, column: str, allowed: Iterable[str]) -> None:
    if task and task not in model.tasks:
        tasks = ", ".join(model.tasks)
        raise ConfigError(f"{where}: {model.name} has no task '{task}'; allowed are {tasks}")
    check_known(where, "column", column, allowed)


def _reasons(plan: Plan, row: Row, column: Column) -> Iterator[str]:
    """Yield the reasons why a cell is not measured; the first one is for the user."""
    for entry in plan.config.unsupported:
        if entry.model == row.model and _is_about(entry, row, column):
            yield entry.reason
    for of_model in plan.models.load(row.model).unsupported:
        jit_compile = column.of_framework.get("jit_compile")
        if _is_about(of_model, row, column) and of_model.jit_compile in (None, jit_compile):
            yield of_model.reason
    for name in column.asked:
        # It would be measured twice, and the mean effect would count a setting without one.
        if row.task not in (SETTINGS[name].tasks or [row.task]):
            yield f"{row.task} has no {name}"
    if column in plan.barred:
        yield plan.barred[column]
    if column.accelerator == "cpu" and column.precision == "tf32":
        yield "TF32 needs a GPU"
    if column.accelerator == "cpu" and column.of_framework.get("cudnn_benchmark"):
        yield "cuDNN computes on GPUs"


def _is_about(entry: Unsupported | Incapable, row: Row, column: Column) -> bool:
    named = entry.column in (column.name, column.framework.name)
    return named and (entry.task or row.task) == row.task
