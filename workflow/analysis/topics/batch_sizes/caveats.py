"""Steps of which much does not grow with the batch."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.caveats.core import Found, labelled, places, rule
from analysis.caveats.thresholds import FIXED_COST_SHARE
from analysis.data import CELL, Data
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.topics.batch_sizes.compute import fixed_costs


@rule
def fixed_cost_dominates(data: Data) -> Iterator[Found]:
    """Find cells in which most of a step does not grow with the batch."""
    found = fixed_costs(data)
    high = _of_cells(data, found[found["at_least"] >= FIXED_COST_SHARE])
    shares = {cell: {"share": line.share, "points": _points(cell)} for cell, line in high.items()}
    where = places(high, lambda cell: percent(high[cell].share), lambda cell: high[cell].share)
    trained = any(cell.row.task == "fit" for cell in high)
    once = any(line.runs == 1 for line in high.values())
    evidence = {"threshold": FIXED_COST_SHARE, "cells": labelled(shares)}
    yield Found(high, evidence, {"where": where, "trained": trained, "once": once})


def _of_cells(data: Data, found: pd.DataFrame) -> dict[Cell, Any]:
    """Lines by their cells, of those from which anything may be concluded, in table order."""
    keys = found[CELL].itertuples(index=False, name=None)
    lines = dict(zip(keys, found.itertuples(), strict=True))
    cells = data.cell_of.items()
    return {cell: lines[key] for key, cell in cells if key in lines and cell.comparable}


def _points(cell: Cell) -> list[dict[str, Any]]:
    """The numbers behind a cell's finding: ms/step at each batch size, run by run."""
    own = [
        {"run": sitting.round, "batch_size": cell.row.batch_size, "ms": value}
        for sitting, value in cell.run_ms.items()
    ]
    return own + [
        {"run": run.number, "batch_size": probe.batch_size, "ms": probe.step_ms}
        for run in cell.ok_runs
        for probe in run.record.probes
    ]
