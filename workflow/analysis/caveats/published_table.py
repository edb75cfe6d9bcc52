"""The published table as results, so that the rules of our own caveats judge it too.

A published number is one run without a record: ms/step and nothing else. FLOPs and the hardware's
peaks are data of `reference/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.caveats import Caveat, collect
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
    """A printed ms/step, and the FLOPs that its step has by our count."""

    published_ms: float = 0.0
    flops_per_step: float = 0.0
    claimed_dtype: str = ""

    @property
    def step_ms(self) -> float:
        return self.published_ms

    @property
    def flops_per_s(self) -> float:
        return self.flops_per_step / (self.published_ms / 1000)

    @property
    def steadiness(self) -> Steadiness:
        return Steadiness(SteadyState.NOT_TESTED, blocks=0, tail_blocks=0, mean_over_tail=1.0)

    synchronised_ms = legacy_ms = None


@dataclass(frozen=True)
class PublishedResults(Results):
    """A revision of the published table; peaks are those of the data sheet."""

    reference: Reference | None = None

    @property
    def peak_source(self) -> str:
        return self.reference.peaks.source

    @property
    def claimed_peaks(self) -> dict[str, float]:
        return self.reference.peaks.flops_per_s


def published_caveats(reference: Reference) -> dict[str, list[Caveat]]:
    """Caveats of every revision that stands beside our columns, most severe first."""
    revisions = dict.fromkeys(reference.compared.values())
    return {name: collect(published_results(reference, name)) for name in revisions}


def published_results(reference: Reference, revision: str) -> PublishedResults:
    """One revision, its rows and columns in the order of the page."""
    plan = _plan(reference, revision)
    step_ms = reference.step_ms[revision]
    rows = tuple(
        RowCells(
            row,
            tuple(
                _cell(reference, row, column, step_ms.get((*row.key, column.name)))
                for column in plan.columns
            ),
        )
        for row in plan.rows
    )
    return PublishedResults(plan, rows, digest="", reference=reference)


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


def _cell(reference: Reference, row: Row, column: Column, step_ms: float | None) -> Cell:
    if step_ms is None:
        return Cell(row, column, UNPUBLISHED, ())
    dtype = reference.models[row.model].dtype
    # float32 products may run in TF32 unannounced, so that is the most that is plausible.
    fastest = "tf32" if dtype == "float32" else dtype
    run = PublishedRun(
        number=1,
        position=0,
        path="",
        status=OK,
        reason="",
        record=None,
        peak_flops_per_s=reference.peaks.flops_per_s[fastest],
        published_ms=step_ms,
        flops_per_step=reference.flops_per_step[row.key],
        claimed_dtype=dtype,
    )
    return Cell(row, column, None, (run,))
