"""Steps of which much does not grow with the batch, and steps that grow faster than it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.caveats.causes import OVERHEAD
from analysis.caveats.core import Caveat, Changes, Severity, frame_rule, label, places
from analysis.caveats.thresholds import FIXED_COST_SHARE, SAMPLE_GROWTH
from analysis.data import CELL, Data
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.topics.batch_sizes.compute import fixed_costs, sample_growth


@frame_rule(
    "Half of a step does not grow with the batch",
    "These cells compare fixed costs at least as much as the work per sample.",
    Changes.ELSEWHERE,
    "Measure a larger batch size.",
    OVERHEAD,
)
def fixed_cost_dominates(data: Data) -> Iterator[Caveat]:
    """Find cells in which most of a step does not grow with the batch."""
    found = fixed_costs(data)
    high = _of_cells(data, found[found["at_least"] >= FIXED_COST_SHARE])
    if high:
        trained = any(cell.row.task == "fit" for cell in high)
        optimiser = "in fit the optimiser's update, " if trained else ""
        where = places(high, lambda cell: percent(high[cell].share), lambda cell: high[cell].share)
        sentence = (
            f"At least {percent(FIXED_COST_SHARE)} of the step does not grow with the batch, by "
            f"the whole interval of its share: {where}. Python, dispatch, {optimiser}reading the "
            "weights and hardware that a batch does not fill all look like "
            "this; two batch sizes cannot separate them."
        )
        cells = {
            label(cell): {"share": found.share, "points": _points(cell)}
            for cell, found in high.items()
        }
        evidence = {"threshold": FIXED_COST_SHARE, "cells": cells}
        yield Caveat("fixed_cost_dominates", Severity.WARNING, tuple(high), evidence, sentence)


@frame_rule(
    "A step grows faster than its batch",
    "In these cells a sample takes longer at a larger batch.",
    Changes.ELSEWHERE,
    "Measure the same rows at several batch sizes.",
    OVERHEAD,
)
def outgrows_batch(data: Data) -> Iterator[Caveat]:
    """Find cells in which a sample takes much longer at the larger of two batch sizes."""
    found = sample_growth(data)
    large = _of_cells(data, found[found["factor"] >= 1 + SAMPLE_GROWTH])
    if large:
        where = places(large, lambda cell: _text(large[cell]), lambda cell: large[cell].factor)
        sentence = (
            f"A sample takes longer at a larger batch: {where}. Another kernel for "
            "another size and memory beyond a cache look like this; the order of the columns at "
            "one batch size need not be that at another."
        )
        cells = {
            label(cell): {"growth": growth.factor, "points": _points(cell)}
            for cell, growth in large.items()
        }
        evidence = {"threshold": 1 + SAMPLE_GROWTH, "cells": cells}
        yield Caveat("outgrows_batch", Severity.WARNING, tuple(large), evidence, sentence)


def _of_cells(data: Data, found: pd.DataFrame) -> dict[Cell, Any]:
    """Lines by their cells, of those from which anything may be concluded, in table order."""
    keys = found[CELL].itertuples(index=False, name=None)
    lines = dict(zip(keys, found.itertuples(), strict=True))
    cells = data.cell_of.items()
    return {cell: lines[key] for key, cell in cells if key in lines and cell.comparable}


def _text(growth: Any) -> str:
    return f"{growth.factor:.1f} times as long at {growth.to} as at {growth.of}"


def _points(cell: Cell) -> list[dict[str, Any]]:
    """The numbers behind it: ms/step at each batch size, run by run."""
    own = [
        {"run": sitting.round, "batch_size": cell.row.batch_size, "ms": value}
        for sitting, value in cell.run_ms.items()
    ]
    return own + [
        {"run": run.number, "batch_size": probe.batch_size, "ms": probe.step_ms}
        for run in cell.ok_runs
        for probe in run.record.probes
    ]
