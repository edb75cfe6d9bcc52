"""What looking at every step changes."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.statistics.intervals import geometric_mean


def observer_ratio(cell: Cell) -> float | None:
    """Median ms of a step with a fence after it over pipelined ms/step, over the runs; None
    without synchronised steps.
    """
    ratios = [run.synchronised_ms / run.step_ms for run in cell.ok_runs if run.synchronised_ms]
    return geometric_mean(ratios) if ratios else None


@dataclass(frozen=True)
class ObserverEffect:
    """The ratio over the cells that have one."""

    low: float
    median: float
    high: float
    cells: int


def observer_effect(results: Results) -> ObserverEffect | None:
    """Over all cells; None where no step was synchronised."""
    ratios = [ratio for cell in results.cells if (ratio := observer_ratio(cell)) is not None]
    if not ratios:
        return None
    return ObserverEffect(min(ratios), median(ratios), max(ratios), len(ratios))
