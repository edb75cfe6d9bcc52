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
    plan, step_ms = _plan(reference, revision), reference.step_ms[revision]
    rows = tuple(
        RowCells(row, tuple(_cell(row, c, step_ms.get((*row.key, c.name))) for c in plan.columns))
        for row in plan.rows
    )
    return Results(plan, rows, digest="")


def _plan(reference: Reference, revision: str) -> Plan:
    """The published table as a plan."""
    keys, titles = reference.step_ms[revision], reference.models
    names = ("model", "task", "batch_size", "published_batch_size")
    rows = [
        dict(zip(names, (*key, key[2]), strict=True)) for key in dict.fromkeys(k[:3] for k in keys)
    ]
    models = {
        name: {"title": model.title, "citation": "", "preset": "", "architecture": {}}
        for name, model in titles.items()
    }
    of_page = {"scale": "paper", "accelerator": "cuda", "weights": "preset", "precision": "default"}
    nothing = {"study": None, "results": "", "self_test": "", "blocks": (), "cells": ()}
    return Plan.from_json(
        {
            **of_page,
            **nothing,
            **{"scale_reason": f"{reference.title}, revision {revision}", "seed": 0, "runs": 1},
            "models": models,
            "rows": [
                {**row, "title": f"{titles[row['model']].title} {row['task']}"} for row in rows
            ],
            "columns": [c for name, c in reference.columns.items() if name in {k[3] for k in keys}],
        }
    )


def _cell(row: Row, column: Column, step_ms: float | None) -> Cell:
    if step_ms is None:
        return Cell(row, column, UNPUBLISHED, ())
    published = {"number": 1, "position": 0, "path": "", "status": OK, "reason": "", "record": None}
    return Cell(row, column, None, (PublishedRun(**published, published_ms=step_ms),))
