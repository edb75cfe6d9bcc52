"""Steps of which much does not grow with the batch."""

from collections.abc import Iterator
from typing import Any

from analysis.caveats.core import Found, labelled, places, rule
from analysis.caveats.thresholds import FIXED_COST_SHARE
from analysis.data import CELL, Data
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.topics.batch_sizes.compute import fixed_costs


@rule
def fixed_cost_dominates(data: Data) -> Iterator[Found]:
    """Find cells in which most of a step does not grow with the batch."""
    found = fixed_costs(data).set_index(CELL)
    shares = data.by_cell(found["share"][found["at_least"] >= FIXED_COST_SHARE])
    high = {cell: share for cell, share in shares.items() if cell.comparable}
    cells = {cell: {"share": share, "points": _points(cell)} for cell, share in high.items()}
    where = places(high, lambda cell: percent(high[cell]), high.get)
    trained = any(cell.row.task == "fit" for cell in high)
    runs = data.by_cell(found["runs"])
    once = any(runs[cell] == 1 for cell in high)
    evidence = {"threshold": FIXED_COST_SHARE, "cells": labelled(cells)}
    yield Found(high, evidence, {"where": where, "trained": trained, "once": once})


def _points(cell: Cell) -> list[dict[str, Any]]:
    """The numbers behind a cell's finding: ms/step at each batch size, of runs that have two."""
    size = cell.row.batch_size
    return [
        {"run": run.number, "batch_size": batch_size, "ms": step_ms}
        for run in cell.ok_runs
        for probe in run.record.probes
        if probe.batch_size != size  # of another length, else
        for batch_size, step_ms in ((size, run.step_ms), (probe.batch_size, probe.step_ms))
    ]
