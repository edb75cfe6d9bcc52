"""The effect that observing every step has on its time."""

import math
from collections.abc import Iterable
from statistics import fmean

from analysis.results.cells import Cell
from analysis.statistics.best_set import p_slower, shown_slower
from analysis.statistics.intervals import MIN_RUNS, NS_PER_MS, geometric_mean, ratio_of

LEAST_STEPS = 5  # of a run: the mean of fewer says little


def observer_ratio(cell: Cell) -> float | None:
    """Mean ms of a step with a fence after it over pipelined ms/step, over the runs; None without
    LEAST_STEPS of them in any.
    """
    ratios = _ratios(cell)
    return geometric_mean(ratios) if ratios else None


def observed_longer(cells: Iterable[Cell]) -> set[Cell]:
    """Those whose steps are shown to take longer with a fence, by Holm's procedure over all."""
    ratios = {cell: _ratios(cell) for cell in cells}
    return shown_slower(
        {
            cell: p_slower(ratio_of(list(map(math.log, found)), len(found)), margin=0.0)
            for cell, found in ratios.items()
            if len(found) >= MIN_RUNS
        }
    )


def border_share(cell: Cell) -> float | None:
    """Part of ms/step that the fences between blocks are: what a fence after a step adds, once in
    the steps of a block. None where nothing is known of it, or a block is one step.
    """
    ratio = observer_ratio(cell)
    blocks = [b.steps for run in cell.ok_runs if run.record for b in run.record.timing.blocks]
    size = fmean(blocks) if blocks else 1.0
    return None if ratio is None or size <= 1 else max(0.0, (ratio - 1) / (size - 1))


def _ratios(cell: Cell) -> list[float]:
    times_ns = [(run, run.record.timing.synchronised_ns) for run in cell.ok_runs if run.record]
    return [
        fmean(found) / NS_PER_MS / run.step_ms
        for run, found in times_ns
        if len(found) >= LEAST_STEPS
    ]
