"""What a faster host language could bring, as far as a profile tells: the time in which no
operation computes, as a share of a step, gives 1 / (1 - share).

It is about a faster host alone, not a better kernel, and a compiled graph counts as computing as a
whole. It is an estimate: what a profiler adds to a step lies between operations or within them. On
a GPU kernels are timed by the device, so that all of it lies between. On a processor nothing tells:
the interval of the share, over runs, reaches from all of it between to all of it within. Where
other work took the processors a step waits for them, and one that was not steady has no time: of
such cells nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from analysis.comparisons.profiler_cost import profiler_cost, shown_cost
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.ceiling import gain_interval, gain_of
from analysis.statistics.intervals import Interval, Ratio, mean_interval


@dataclass(frozen=True)
class Ceiling:
    """Of a cell, means over its profiled runs; without several of them no interval."""

    row: RowCells
    cell: Cell
    runs: int
    share: float  # of a step, in which nothing computes
    interval: Interval | None  # of that share
    cost: Ratio | None  # a step under the profiler over one without; None in older records

    @property
    def gain(self) -> float:
        """How many times as fast."""
        return gain_of(self.share)

    @property
    def gain_interval(self) -> Interval | None:
        return gain_interval(self.interval)


def ceilings(results: Results) -> list[Ceiling]:
    """Of every profiled cell that may be compared, in the order of the table."""
    return [_ceiling(row, cell, runs) for row, cell, runs in _profiled(results) if cell.comparable]


def withheld(results: Results) -> list[Cell]:
    """Profiled cells of which nothing is said, because they were disturbed or not steady."""
    return [cell for _, cell, _ in _profiled(results) if not cell.comparable]


def _profiled(results: Results) -> Iterator[tuple[RowCells, Cell, list[Run]]]:
    for row in results.rows:
        for cell in row.measured:
            runs = [run for run in cell.ok_runs if run.record and run.record.host_overhead]
            if runs:
                yield row, cell, runs


def _ceiling(row: RowCells, cell: Cell, runs: list[Run]) -> Ceiling:
    profiled = [run.record.host_overhead.share for run in runs]
    slower = shown_cost(cell)
    between = [max(0.0, 1 - slower * (1 - share)) for share in profiled]
    within = [min(1.0, slower * share) for share in profiled]
    on_device = runs[0].record.cell.accelerator != "cpu"
    low, high = mean_interval(between), mean_interval(between if on_device else within)
    return Ceiling(
        row,
        cell,
        len(runs),
        fmean(between if on_device else profiled),
        Interval(max(0.0, low.low), min(1.0, high.high)) if low and high else None,
        profiler_cost(cell),
    )
