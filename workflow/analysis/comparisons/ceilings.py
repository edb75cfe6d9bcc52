"""What a faster host language could at most bring: the time in which no operation computes, as a
share of a step, gives 1 / (1 - share).

It bounds a faster host alone, not a better kernel, and a compiled graph counts as computing as a
whole. A profiler makes a step longer, mostly between operations: the share as it was profiled is
the upper of two readings, the other is the share of the timed step, from which what the profiler
adds was taken off. By how much it slowed the step stands beside both. Where other work took the
processors, a step waits for them, so that nothing is said of a disturbed cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from analysis.comparisons.why import parts_of
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import Interval, mean_interval


@dataclass(frozen=True)
class Ceiling:
    """Of a cell, means over its profiled runs; without several of them no interval. `slower` and
    `timed_share` are None in records that lack what the profiled step took.
    """

    row: RowCells
    cell: Cell
    runs: int
    share: float  # of the profiled step
    interval: Interval | None  # of that share
    slower: float | None  # a step under the profiler over the timed one
    timed_share: float | None

    @property
    def most(self) -> float:
        """How many times as fast at most, by the share as it was profiled."""
        return at_most(self.share)

    @property
    def most_interval(self) -> Interval | None:
        return gain_interval(self.interval)

    @property
    def most_timed(self) -> float | None:
        """The same by the share of the timed step."""
        return None if self.timed_share is None else at_most(self.timed_share)


def at_most(share: float) -> float:
    """How many times as fast a step becomes that loses this share; without limit where it is all of
    it.
    """
    return 1 / (1 - share) if share < 1 else math.inf


def gain_interval(share: Interval | None) -> Interval | None:
    """The same at the ends of an interval of shares, none of which is below nothing."""
    return share and Interval(at_most(max(share.low, 0.0)), at_most(max(share.high, 0.0)))


def ceilings(results: Results) -> list[Ceiling]:
    """Of every profiled cell that nothing disturbed, in the order of the table."""
    return [
        _ceiling(row, cell, found)
        for row in results.rows
        for cell in row.measured
        if not cell.disturbed and (found := profiled_runs(cell))
    ]


def withheld(results: Results) -> list[Cell]:
    """Profiled cells of which nothing is said, because other work disturbed them."""
    return [c for row in results.rows for c in row.measured if c.disturbed and profiled_runs(c)]


def profiled_runs(cell: Cell) -> list[Run]:
    return [run for run in cell.ok_runs if run.record and run.record.host_overhead]


def _ceiling(row: RowCells, cell: Cell, runs: list[Run]) -> Ceiling:
    shares = [run.record.host_overhead.share for run in runs]
    slower = [run.record.host_overhead.slower(run.step_ms) for run in runs]
    parts = [found for run in runs if (found := parts_of(run))]
    return Ceiling(
        row,
        cell,
        len(runs),
        fmean(shares),
        mean_interval(shares),
        _mean(filter(None, slower)),
        _mean(found.idle_ms / found.step_ms for found in parts),
    )


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None
