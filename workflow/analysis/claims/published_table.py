"""The published table as results, so that the tests of claims can be asked of it too.

A published number is one run without a record: ms/step and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.results.cells import Cell
from analysis.results.plan import Column, Plan, Row
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import OK, Run
from analysis.statistics.steady_state import Steadiness, SteadyState

UNPUBLISHED = "the page prints NA"


@dataclass(frozen=True)
class PublishedRun(Run):
    """A printed ms/step."""

    published_ms: float = 0.0

    @property
    def step_ms(self) -> float:
        return self.published_ms

    @property
    def steadiness(self) -> Steadiness:
        return Steadiness(SteadyState.NOT_TESTED, blocks=0, tail_blocks=0, mean_over_tail=1.0)

    synchronised_ms = legacy_ms = flops_per_s = None


def published_results(reference: Reference, revision: str) -> Results:
    """One revision, its rows and columns in the order of the page."""
    plan = _plan(reference, revision)
    step_ms = reference.step_ms[revision]
    rows = tuple(
        RowCells(
            row,
            tuple(
                _cell(row, column, step_ms.get((*row.key, column.name))) for column in plan.columns
            ),
        )
        for row in plan.rows
    )
    return Results(plan, rows, digest="")


def _plan(reference: Reference, revision: str) -> Plan:
    """The published table as a plan."""
    keys = reference.step_ms[revision]
    return Plan.from_json(
        {
            "study": None,
            "results": "",
            "scale": "paper",
            "scale_reason": f"{reference.title}, revision {revision}",
            "accelerator": "cuda",
            "weights": "preset",
            "seed": 0,
            "runs": 1,
            "precision": "default",
            "blocks": (),
            "self_test": "",
            "models": {
                name: {"title": model.title, "citation": "", "preset": "", "architecture": {}}
                for name, model in reference.models.items()
            },
            "rows": [_row(reference, *key) for key in dict.fromkeys(key[:3] for key in keys)],
            "columns": [
                {
                    "name": name,
                    "title": column.title,
                    "family": column.family,
                    "framework": column.framework,
                }
                for name, column in reference.columns.items()
                if name in {key[3] for key in keys}
            ],
            "cells": [],
        }
    )


def _row(reference: Reference, model: str, task: str, batch_size: int) -> dict[str, Any]:
    return {
        "model": model,
        "task": task,
        "batch_size": batch_size,
        "title": f"{reference.models[model].title} {task}",
        "published_batch_size": batch_size,
    }


def _cell(row: Row, column: Column, step_ms: float | None) -> Cell:
    if step_ms is None:
        return Cell(row, column, UNPUBLISHED, ())
    published = {"number": 1, "position": 0, "path": "", "status": OK, "reason": "", "record": None}
    return Cell(row, column, None, (PublishedRun(**published, published_ms=step_ms),))
