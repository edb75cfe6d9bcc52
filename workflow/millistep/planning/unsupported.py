"""Cells that are known not to run, each with its reason: no time is spent on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from millistep.contracts.config import Unsupported
from millistep.contracts.model import Incapable
from millistep.contracts.settings import SETTINGS
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError, check_known
from millistep.planning.runs import Row

if TYPE_CHECKING:
    from millistep.planning.plan import Plan

Entry = Unsupported | Incapable  # of the configuration, of a model
NO_TF32 = "TF32 needs a GPU"
NO_CUDNN = "cuDNN computes on GPUs"


def unsupported(plan: Plan) -> dict[tuple[Row, str], str]:
    """Return the cells that are known not to run: reasons by row and name of the column."""
    impossible = {column: reason for column in plan.columns if (reason := _impossible(column))}
    found = {
        (row, column.name): reason
        for column, reason in {**impossible, **plan.barred}.items()
        for row in plan.rows
    } | _without_effect(plan)
    for model, entry in reversed([*_configured(plan), *_of_models(plan)]):
        for row in plan.rows:
            if row.model == model and row.task == (entry.task or row.task):
                for column in plan.columns:
                    if _is_about(entry, column):
                        found[row, column.name] = entry.reason
    return found


def _without_effect(plan: Plan) -> dict[tuple[Row, str], str]:
    """Return cells of a task in which a setting of their column changes nothing: they would be
    measured twice, and an effect of nothing would be averaged with those of other rows.
    """
    return {
        (row, column.name): f"{row.task} has no {name}"
        for column in plan.columns
        for name in column.asked
        for row in plan.rows
        if row.task not in (SETTINGS[name].tasks or [row.task])
    }


def _configured(plan: Plan) -> list[tuple[str, Entry]]:
    allowed = dict.fromkeys([*(c.name for c in plan.columns), *plan.frameworks])
    for entry in plan.config.unsupported:
        _check("unsupported", plan, entry.model, entry.task, entry.column, allowed)
    return [(entry.model, entry) for entry in plan.config.unsupported]


def _of_models(plan: Plan) -> list[tuple[str, Entry]]:
    found: list[tuple[str, Entry]] = []
    for model in map(plan.models.load, plan.measured_models):
        for entry in model.unsupported:
            # It may name columns that this configuration lacks, of frameworks that exist.
            framework = entry.column.partition("+")[0]
            where = f"{model.file}: unsupported"
            _check(where, plan, model.name, entry.task, framework, plan.frameworks)
            found.append((model.name, entry))
    return found


def _check(
    where: str, plan: Plan, model: str, task: str | None, column: str, allowed: Iterable[str]
) -> None:
    tasks = plan.models.load(model).tasks
    if task and task not in tasks:
        raise ConfigError(f"{where}: {model} has no task '{task}'; allowed are {', '.join(tasks)}")
    check_known(where, "column", column, allowed)


def _impossible(column: Column) -> str | None:
    """Return the reason why a column's settings exclude each other, whatever the model, or None."""
    if (column.precision, column.accelerator) == ("tf32", "cpu"):
        return NO_TF32
    if column.of_framework.get("cudnn_benchmark") and column.accelerator == "cpu":
        return NO_CUDNN
    return None


def _is_about(entry: Entry, column: Column) -> bool:
    named = entry.column in (column.name, column.framework.name)
    asked = entry.jit_compile if isinstance(entry, Incapable) else None
    return named and asked in (None, column.of_framework.get("jit_compile"))
