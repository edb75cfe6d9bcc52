"""Break-even: after how many steps the framework with the shorter step is ahead for good, although
it starts later (importing, building, compiling).

The time to N steps is start-up and N times ms/step. Start-up is what came on top of the steps, in
one of two readings:

from the first step: first step and warm-up, less as many steps at the final speed; what a program
pays again whenever it compiles anew;

from the start of the process: importing the framework and building model, weights and inputs too.

What a compiler keeps on disk is cold for a user once and warm from the second process on: the cost
of a cold start is of cold runs alone, that of a warm one of warm runs alone. What keeps nothing
starts alike every time, and all its runs tell both.

Tracing and compiling lie in the first step or in the warm-up. The formula holds from the end of the
warm-up on (two or three steps); before, only the first step is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from statistics import fmean

from analysis.results.cells import Cell, cell_ratio
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import Ratio

CACHES = ("cold", "warm")  # what a start may find on disk
NOTHING_KEPT = (None,)


@dataclass(frozen=True)
class Cost:
    """What a cell takes before and for its steps. The start is a mean over its runs from the same
    caches, the step one over all of them.
    """

    first_step_s: float
    start_up_s: float  # from the first step on; may be below 0, by the noise of the warm-up
    import_and_build_s: float
    step_s: float

    def seconds(self, steps: float, from_process_start: bool = False) -> float:
        """Time until so many steps are done, at least that of the first one."""
        since = self.import_and_build_s if from_process_start else 0.0
        return since + max(self.first_step_s, self.start_up_s + steps * self.step_s)

    def total_start_up_s(self, from_process_start: bool) -> float:
        """Start-up in one of the two readings."""
        return self.start_up_s + (self.import_and_build_s if from_process_start else 0.0)


@dataclass(frozen=True)
class BreakEven:
    """The cell with the shorter step against one with a longer step.

    `caches` is what both starts found on disk, None where neither of them keeps anything. `steps`
    is the number after which the faster one is ahead for good, 1 when it is never behind, None
    where such a start was not measured.
    `earliest` and `latest` are those at the ends of the 95 % interval of the ratio of their steps,
    with start-up at its mean; `latest` is None when that interval does not exclude equal steps, so
    that it may never happen, and both are None without an interval.
    """

    faster: Cell
    slower: Cell
    caches: str | None
    steps: int | None
    earliest: int | None
    latest: int | None

    @property
    def shown(self) -> bool:
        """Whether the runs show that the faster one gets ahead at all."""
        return self.latest is not None


def caches_of(*cells: Cell) -> tuple[str | None, ...]:
    """From which caches these cells may start: one entry, None, where none of them keeps any."""
    kept = any(run.record.timing.compile_cache for cell in cells for run in cell.ok_runs)
    return CACHES if kept else NOTHING_KEPT


def cost(cell: Cell, caches: str | None = None) -> Cost | None:
    """The cost of a measured cell from such caches; None when no run that is ok tells."""
    kinds = (None, caches)
    runs = [run for run in cell.ok_runs if run.record.timing.compile_cache in kinds]
    if not runs:
        return None
    timings = [run.record.timing for run in runs]
    return Cost(
        first_step_s=fmean(timing.first_step_s for timing in timings),
        start_up_s=fmean(map(_start_up_s, runs)),
        import_and_build_s=fmean(timing.import_s + timing.build_s for timing in timings),
        step_s=cell.step_ms / 1000,
    )


def _start_up_s(run: Run) -> float:
    """How much longer the discarded steps took than as many timed ones."""
    timing = run.record.timing
    discarded_s = timing.first_step_s + timing.warmup_s
    return discarded_s - timing.warmup_steps * run.step_ms / 1000


def break_evens(row: RowCells, from_process_start: bool = False) -> list[BreakEven]:
    """One for each pair of cells of a row that share a round and differ, in the order of the table,
    the faster one first, and for each of the caches that they may start from.
    """
    pairs = (
        (faster, slower, cell_ratio(slower, faster))
        for faster, slower in permutations(row.measured, 2)
    )
    return [
        _break_even(faster, slower, caches, ratio, from_process_start)
        for faster, slower, ratio in pairs
        if ratio and ratio.value > 1
        for caches in caches_of(faster, slower)
    ]


def _break_even(
    faster: Cell, slower: Cell, caches: str | None, ratio: Ratio, from_process_start: bool
) -> BreakEven:
    costs = [cost(cell, caches) for cell in (faster, slower)]
    if None in costs:
        return BreakEven(faster, slower, caches, None, None, None)
    late_s, start_up_s = (found.total_start_up_s(from_process_start) for found in costs)
    late_s -= start_up_s
    low, high = (ratio.interval.low, ratio.interval.high) if ratio.interval else (None, None)
    steps, earliest, latest = (
        steps_to_overtake(late_s, faster.step_ms / 1000, value) if value else None
        for value in (ratio.value, high, low)
    )
    return BreakEven(faster, slower, caches, steps, earliest, latest)


def steps_to_overtake(late_s: float, step_s: float, ratio: float) -> int | None:
    """The first step after which the faster one is ahead: its steps begin `late_s` later, and each
    gains (ratio - 1) of its own time. 1 when it is never behind; None when it gains nothing.
    """
    if ratio <= 1:
        return None
    return max(1, math.floor(late_s / (step_s * (ratio - 1))) + 1)
