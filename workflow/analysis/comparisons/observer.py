"""What looking at every step changes."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.statistics.intervals import geometric_mean, log_t_interval


def observer_ratio(cell: Cell) -> float | None:
    """Median ms of a step with a fence after it over pipelined ms/step, over the runs; None
    without synchronised steps.
    """
    ratios = _ratios(cell)
    return geometric_mean(ratios) if ratios else None


def observer_shown(cell: Cell) -> bool:
    """Whether the interval of that ratio over the runs leaves out 1; one run has none."""
    ends = log_t_interval(_ratios(cell))
    return ends is not None and not ends.low <= 1 <= ends.high


def _ratios(cell: Cell) -> list[float]:
    return [run.synchronised_ms / run.step_ms for run in cell.ok_runs if run.synchronised_ms]


@dataclass(frozen=True)
class ObserverEffect:
    """The ratio over the cells that have one."""

    low: float
    median: float
    high: float
    cells: int


def observer_effect(results: Results) -> ObserverEffect | None:
    """Over all that may be compared; None where no step was synchronised."""
    cells = [cell for row in results.rows for cell in row.comparable]
    ratios = [ratio for cell in cells if (ratio := observer_ratio(cell)) is not None]
    if not ratios:
        return None
    return ObserverEffect(min(ratios), median(ratios), max(ratios), len(ratios))
