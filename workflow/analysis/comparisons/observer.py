"""The effect that observing every step has on its time."""

from analysis.results.cells import Cell
from analysis.statistics.intervals import geometric_mean, log_t_interval


def observer_ratio(cell: Cell) -> float | None:
    """Median ms of a step with a fence after it over pipelined ms/step, over the runs; None
    without synchronised steps.
    """
    ratios = _ratios(cell)
    return geometric_mean(ratios) if ratios else None


def observer_shown(cell: Cell) -> bool:
    """True if the interval of that ratio over the runs leaves out 1; one run has none."""
    ends = log_t_interval(_ratios(cell))
    return ends is not None and not ends.low <= 1 <= ends.high


def _ratios(cell: Cell) -> list[float]:
    return [run.synchronised_ms / run.step_ms for run in cell.ok_runs if run.synchronised_ms]
