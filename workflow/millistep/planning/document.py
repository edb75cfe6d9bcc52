"""The plan as a file for the analysis, see :class:`millistep.contracts.plan.Plan`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from millistep.planning.columns import Column
from millistep.planning.runs import AUTO, MORE
from millistep.planning.this_machine import DEFAULT_RUNS

if TYPE_CHECKING:
    from millistep.planning.plan import Plan

# Keys of the configuration that no other part of the file contains.
FURTHER = {"device", "limits", "folders", "unsupported", "environment", "interpreters"}


def document(plan: Plan) -> dict[str, Any]:
    """Return the content of plan.json: every planned cell and run, in the table's words."""
    further = plan.config.model_dump(include=FURTHER, exclude_defaults=True)
    return {
        "schema": "millistep.plan/1",
        "study": plan.config.study and plan.config.study.model_dump(),
        "results": plan.results,
        "scale": plan.scale,
        "scale_reason": plan.scale_reason,
        "accelerator": plan.accelerator,
        "weights": plan.config.weights,
        "seed": plan.config.seed,
        "runs": max(plan.runs_of.values()),
        "precision": plan.config.precision,
        **({"further": further} if further else {}),
        "references": [
            {**vars(group.row), "round": group.number, "path": path}
            for group in plan.groups
            for path in group.references.values()
        ],
        "self_test": plan.self_test,
        "models": {name: _model(plan, name) for name in plan.measured_models},
        "rows": _rows(plan),
        "columns": [_column(column) for column in plan.columns],
        "cells": [
            {
                **vars(row),
                "column": column.name,
                "unsupported": plan.unsupported.get((row, column.name)),
                "runs": [
                    {
                        "run": run.number,
                        "position": run.position,
                        "record": run.record,
                        "identity": run.identity,
                    }
                    for run in plan.by_cell.get((row, column.name), [])
                ],
            }
            for row in plan.rows
            for column in plan.columns
        ],
    }


def _column(column: Column) -> dict[str, Any]:
    framework = column.framework
    return {
        "name": column.name,
        "title": column.title,
        "framework": framework.name,
        "family": framework.family,
        "settings": column.settings,
        "asked": dict(column.asked),
        "against": framework.against,
        **column.look,
    }


def _model(plan: Plan, name: str) -> dict[str, Any]:
    model = plan.models.load(name)
    found: dict[str, Any] = {
        "title": model.title,
        "citation": model.citation,
        "preset": model.preset,
        "architecture": model.architecture[plan.scale],
    }
    if model.variant_of:
        found["variant_of"] = model.variant_of
    if plan.scale != "paper" and model.architecture[plan.scale] == model.architecture["paper"]:
        found["full_size"] = True
    return found


def _rows(plan: Plan) -> list[dict[str, Any]]:
    """Return all rows in order, with the published batch size at their place among the sizes."""
    places: Counter[tuple[str, str]] = Counter()
    auto, default = plan.config.runs == AUTO, DEFAULT_RUNS[plan.scale]
    found = []
    for row in plan.rows:
        model, place = plan.models.load(row.model), places[row.model, row.task]
        published = model.tasks[row.task].published
        places[row.model, row.task] += 1
        found.append(
            {
                **vars(row),
                "title": f"{model.title} {row.task}",
                "published_batch_size": published[place] if place < len(published) else None,
                "measures": plan.measures[row],
                "looks": 1 + (plan.runs_of[row] - default) // MORE if auto else 0,
            }
        )
    return found
