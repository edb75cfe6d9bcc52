"""The published table as results, so that the tests of claims can be asked of it too.

A published number is one run without a record: ms/step and nothing else.
"""

from dataclasses import dataclass

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
    """A run of which only the printed ms/step is known."""

    published_ms: float = 0.0

    @property
    def step_ms(self) -> float:
        return self.published_ms

    @property
    def steadiness(self) -> Steadiness:
        return Steadiness(SteadyState.NOT_TESTED, blocks=0, tail_blocks=0, mean_over_tail=1.0)

    synchronised_ms = legacy_ms = flops_per_s = None


def published_results(reference: Reference, revision: str) -> Results:
    """The results of one revision, with rows and columns in the order of the page."""
    step_ms = reference.step_ms[revision]
    titles = {name: model.title for name, model in reference.models.items()}
    rows = [
        {
            **{"model": model, "task": task, "title": f"{titles[model]} {task}"},
            **{"batch_size": batch_size, "published_batch_size": batch_size},
        }
        for model, task, batch_size in dict.fromkeys(key[:3] for key in step_ms)
    ]
    published = {key[3] for key in step_ms}
    plan = Plan.from_json(
        {
            **{"study": None, "results": "", "self_test": "", "blocks": (), "cells": ()},
            **{"scale": "paper", "accelerator": "cuda", "weights": "preset", "seed": 0, "runs": 1},
            **{"precision": "default", "scale_reason": f"{reference.title}, revision {revision}"},
            "models": {
                name: {"title": title, "citation": "", "preset": "", "architecture": {}}
                for name, title in titles.items()
            },
            "rows": rows,
            "columns": [c for name, c in reference.columns.items() if name in published],
        }
    )
    cells = (
        RowCells(row, tuple(_cell(row, c, step_ms.get((*row.key, c.name))) for c in plan.columns))
        for row in plan.rows
    )
    return Results(plan, tuple(cells), digest="")


def _cell(row: Row, column: Column, step_ms: float | None) -> Cell:
    if step_ms is None:
        return Cell(row, column, UNPUBLISHED, ())
    published = {"number": 1, "position": 0, "path": "", "status": OK, "reason": "", "record": None}
    return Cell(row, column, None, (PublishedRun(**published, published_ms=step_ms),))
