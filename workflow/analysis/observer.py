"""What looking at every step changes."""

from __future__ import annotations

from analysis.cells import Cell
from analysis.statistics import geometric_mean


def observer_ratio(cell: Cell) -> float | None:
    """Median ms of a step with a fence after it over pipelined ms/step, over the runs; None
    without synchronised steps.
    """
    ratios = [run.synchronised_ms / run.step_ms for run in cell.ok_runs if run.synchronised_ms]
    return geometric_mean(ratios) if ratios else None
