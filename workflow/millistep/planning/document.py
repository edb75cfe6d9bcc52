"""The plan as a file for the analysis, see :class:`millistep.contracts.plan.Plan`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from millistep.planning.columns import Column
from millistep.planning.runs import AUTO, MORE
from millistep.planning.this_machine import DEFAULT_RUNS

if TYPE_CHECKING:
    from millistep.planning.plan import Plan

# Keys of the configuration that no other part of the file contains.
FURTHER = {"device", "limits", "folders", "unsupported", "environment", "interpreters"}
MARKERS = "X<>*Pso^v"  # for further columns of a framework


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
        "rows": list(_rows(plan)),
        "columns": [_column(each, plan.columns[:place]) for place, each in enumerate(plan.columns)],
        "cells": [
            {
                **vars(row),
                "column": column.name,
                "unsupported": plan.unsupported.get((row, column)),
                "runs": [
                    {
                        "run": run.number,
                        "position": run.position,
                        "record": run.record,
                        "identity": run.identity,
                    }
                    for run in plan.by_cell.get((row, column), [])
                ],
            }
            for row, column in product(plan.rows, plan.columns)
        ],
    }


def _column(column: Column, before: Sequence[Column]) -> dict[str, Any]:
    """Return a column's facts. In figures, the first column of a framework has the framework's own
    color and marker, the others have shades.
    """
    framework = column.framework
    place = sum(other.framework is framework for other in before)
    colors = [framework.color] if isinstance(framework.color, str) else framework.color
    markers = framework.marker + MARKERS.replace(framework.marker, "")
    return {
        "name": column.name,
        "title": column.title,
        "framework": framework.name,
        "family": framework.family,
        "settings": column.settings,
        "asked": dict(column.asked),
        "against": framework.against,
        "color": colors[place % len(colors)],
        "marker": markers[place % len(markers)],
    }


def _model(plan: Plan, name: str) -> dict[str, Any]:
    model = plan.models.load(name)
    sizes, paper = model.architecture[plan.scale], model.architecture["paper"]
    return {
        "title": model.title,
        "citation": model.citation,
        "preset": model.preset,
        "architecture": sizes,
        **({"variant_of": model.variant_of} if model.variant_of else {}),
        **({"full_size": True} if plan.scale != "paper" and sizes == paper else {}),
    }


def _rows(plan: Plan) -> Iterator[dict[str, Any]]:
    auto, default = plan.config.runs == AUTO, DEFAULT_RUNS[plan.scale]
    for row in plan.rows:
        yield {
            **vars(row),
            "title": f"{plan.models.load(row.model).title} {row.task}",
            "measures": plan.measures[row],
            "looks": 1 + (plan.runs_of[row] - default) // MORE if auto else 0,
        }
