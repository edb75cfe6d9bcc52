"""Did the steps of a run, and of the runs of a cell, reach a steady state? Told from the means of
their blocks.

After Barrett, Bolz-Tereick, Killick, Mount and Tratt 2017, "Virtual machine warmup blows hot and
cold": change points cut a run into segments, segments within 1 % of each other are equivalent, and
their order gives the class; the classes of its runs give that of the cell. Their series have 2,000
single iterations, ours some ten to a hundred means of blocks, so that some choices differ:

Values are logarithms of the block means, since times are compared as ratios.

Change points minimise the squared distances from the means of the segments, in units of the
variance of the noise, plus 15 ln n for each (PELT; `ruptures`). 15 ln n is theirs; it takes a shift
of about four standard deviations that lasts for half of ten blocks.

The noise is a robust scale of the differences of neighbouring blocks (their upper quartile over
that of a normal distribution): levels do not enter it, nor up to a quarter of jumps. It counts as
at least 0.25 %: less is not resolved.

Blocks that remember the ones before wander, and wandering looks like levels. So change points count
only where levels with autocorrelated noise explain the blocks better than such noise around one
level does, by 6 ln n of twice the log likelihood for each (AR(1) up to 0.9, stationary, so that a
slow start is no part of it). A straight line that explains more than levels do is a run that never
settled. `benchmarks/verdicts` counts how many runs of steps that remember are called not steady.

Spikes: a single block apart from both of its neighbours is another process, not another state. As
Barrett et al. do, we take outliers out before we look for changes, by running medians of three. The
first block is never taken out: one slow block at the start is what warm-up looks like. The mean
that is printed keeps every block but warm-up that most runs of a cell show: in a single run it may
be a rare slow step.

Fewer than eight blocks are not tested: nothing short of a landslide would be found.

What changes slowly in every run is not found in one. Over three runs and more it is: the ratio of
the first half of what is kept to the second is one value for each run, and runs are independent,
whatever their steps remember.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import fmean, median, quantiles
from typing import TYPE_CHECKING

from analysis.statistics.intervals import Verdict, run_mean_ms, t_interval, verdict

if TYPE_CHECKING:
    from numpy import ndarray

MIN_BLOCKS = 8
MIN_COURSES = 3  # runs whose courses are compared; two have no say against Student's 12.7
PENALTY = 15  # times ln(blocks), for each change point
WANDERING = 6  # times ln(blocks): what each has to explain beyond autocorrelated noise
MEMORIES = tuple(step / 50 for step in range(46))  # of the AR(1) noise, 0 to 0.9
EQUIVALENT = math.log(1.01)
QUIET = 0.0025  # noise below this share of a step is not resolved
UPPER_QUARTILE = 1.6269  # of |x - y|, for x and y of standard normal distribution
TAIL_SHARE = 0.25  # of the blocks, that the final level holds at least; theirs is 500 of 2,000

Blocks = Sequence[tuple[int, int]]  # steps, elapsed nanoseconds


class SteadyState(StrEnum):
    """How the time of a step developed during a run, or during the runs of a cell."""

    FLAT = "flat"  # one level throughout
    WARM_UP = "warm-up"  # slower before it reached its final level, never faster
    SLOWDOWN = "slowdown"  # faster before it reached its final level
    NONE = "no steady state"  # the final level came too late to call it one
    INCONSISTENT = "inconsistent"  # some runs of a cell, but not most, were of another class
    NOT_TESTED = "not tested"  # too few blocks


@dataclass(frozen=True)
class Steadiness:
    """The class of a run, and how the mean of all its blocks relates to that of its final level.

    `course` is the logarithm of the first half of what is kept over the second half, less what
    scatter may make it; None where that was not tested.
    """

    state: SteadyState
    blocks: int
    tail_blocks: int  # of the final level
    mean_over_tail: float  # ms/step of all blocks over that of the final level
    course: float | None = None

    @property
    def steady(self) -> bool:
        """True if it ended in a steady state, as far as could be tested."""
        return self.state in (SteadyState.FLAT, SteadyState.WARM_UP, SteadyState.NOT_TESTED)

    @property
    def warm_up(self) -> int:
        """The number of blocks at the start that were warm-up."""
        return self.blocks - self.tail_blocks if self.state is SteadyState.WARM_UP else 0


@dataclass(frozen=True)
class CellSteadiness:
    """The class of a cell, and whether its mean is that of a steady state. `course` is how much
    longer a step of the first half takes than one of the second in every run, where that is shown.
    """

    state: SteadyState
    steady: bool
    course: float | None = None


def steadiness(blocks: Blocks) -> Steadiness:
    """The class of one run from its blocks."""
    count = len(blocks)
    if count < MIN_BLOCKS:
        return Steadiness(SteadyState.NOT_TESTED, count, count, 1.0)
    logs = [math.log(elapsed_ns / steps) for steps, elapsed_ns in blocks]
    values = without_spikes(logs)
    state, tail = _shape(values, change_points(values, noise(logs)))
    over_tail = run_mean_ms(blocks) / run_mean_ms(blocks[tail:])
    kept = values[tail if state is SteadyState.WARM_UP else 0 :]
    return Steadiness(state, count, count - tail, over_tail, _course(kept, noise(logs)))


def _course(values: Sequence[float], deviation: float) -> float:
    """The log of the first half over the second, as far as that is beyond what blocks scatter by:
    else a rare slow step that falls into the same half of every run would look like a course.
    """
    middle = len(values) // 2
    found = fmean(values[:middle]) - fmean(values[middle:])
    unsure = 2 * deviation * math.sqrt(1 / middle + 1 / (len(values) - middle))
    return math.copysign(max(0.0, abs(found) - unsure), found)


def of_runs(runs: Sequence[Steadiness]) -> CellSteadiness:
    """The class of a cell, that of most of its runs. It is not steady where most are not, or where
    all are shown to go on changing by more than 1 % from one half to the other: more runs never
    make a steady cell less likely to be shown.
    """
    courses = [run.course for run in runs if run.course is not None]
    if len(courses) >= MIN_COURSES:
        found = t_interval(courses)
        shown = verdict(found, margin=math.expm1(EQUIVALENT))
        if shown in (Verdict.FASTER, Verdict.SLOWER):
            state = SteadyState.WARM_UP if shown is Verdict.SLOWER else SteadyState.SLOWDOWN
            return CellSteadiness(state, False, math.sqrt(found.low * found.high))
    unsteady = [run.state for run in runs if not run.steady]
    if 2 * len(unsteady) > len(runs):
        return CellSteadiness(Counter(unsteady).most_common(1)[0][0], False)
    states = Counter(run.state for run in runs)
    if 2 * states[SteadyState.WARM_UP] > len(runs):
        return CellSteadiness(SteadyState.WARM_UP, True)
    if unsteady or states[SteadyState.WARM_UP]:
        return CellSteadiness(SteadyState.INCONSISTENT, True)
    untested = states[SteadyState.NOT_TESTED]
    return CellSteadiness(SteadyState.NOT_TESTED if untested else SteadyState.FLAT, True)


def without_spikes(values: Sequence[float]) -> list[float]:
    """Running medians of three; the first value stays, the last is the median of the last three."""
    starts = [min(i - 1, len(values) - 3) for i in range(1, len(values))]
    return [values[0], *(median(values[start : start + 3]) for start in starts)]


def noise(values: Sequence[float]) -> float:
    """Standard deviation of the noise around levels that jump now and then."""
    jumps = [abs(after - before) for before, after in pairwise(values)]
    return max(quantiles(jumps, n=4, method="inclusive")[2] / UPPER_QUARTILE, QUIET)


def change_points(values: Sequence[float], deviation: float) -> list[int]:
    """The start of each segment, 0 first; found by PELT on values in units of the deviation."""
    penalty = PENALTY * math.log(len(values))
    mean = math.fsum(values) / len(values)
    scaled = [(value - mean) / deviation for value in values]
    if math.fsum(value * value for value in scaled) <= penalty:
        return [0]  # one change point alone would cost more than all there is to gain
    import numpy  # here, because most runs of most tables never come so far
    import ruptures

    found = ruptures.KernelCPD(kernel="linear", min_size=1).fit_predict(
        numpy.array(scaled), pen=penalty
    )
    return [0, *map(int, found[:-1])]


def _shape(values: Sequence[float], starts: Sequence[int]) -> tuple[SteadyState, int]:
    """The class, and the first block of the final level: of these segments, of a course without
    levels, or flat, whichever explains values best.
    """
    if len(starts) == 1:
        return SteadyState.FLAT, 0
    import numpy  # here, because most runs of most tables never come so far

    count, each = len(values), WANDERING * math.log(len(values))
    ends = [*starts[1:], count]
    levels = numpy.repeat(numpy.eye(len(starts)), numpy.subtract(ends, starts), axis=0)
    line = numpy.column_stack([numpy.ones(count), numpy.arange(count)])
    wandering = _misfit(values, line[:, :1])
    by_levels = wandering - _misfit(values, levels) - each * (len(starts) - 1)
    by_line = wandering - _misfit(values, line) - each
    if max(by_levels, by_line) < 0:
        return SteadyState.FLAT, 0
    if by_levels >= by_line:
        return _judge(values, starts)
    slower = values[-1] > values[0]
    return SteadyState.SLOWDOWN if slower else SteadyState.NONE, count // 2


def _misfit(values: Sequence[float], explained: ndarray) -> float:
    """-2 log likelihood of values by these columns (blocks x columns) with stationary AR(1) noise
    of at least QUIET, at its best.
    """
    import numpy

    both, found = numpy.column_stack([explained, values]), []
    for memory in MEMORIES:
        white = both - memory * numpy.vstack([both[:1], both[:-1]])
        white[0] = both[0] * math.sqrt(1 - memory**2)
        weights = numpy.linalg.lstsq(white[:, :-1], white[:, -1], rcond=None)[0]
        left = white[:, -1] - white[:, :-1] @ weights
        variance = float(left @ left) / len(values) + QUIET**2
        found.append(len(values) * math.log(variance) - math.log(1 - memory**2))
    return min(found)


def _judge(values: Sequence[float], starts: Sequence[int]) -> tuple[SteadyState, int]:
    """The class of a run with these segments, and the first block of its final level."""
    ends = [*starts[1:], len(values)]
    levels = [
        math.fsum(values[start:end]) / (end - start)
        for start, end in zip(starts, ends, strict=True)
    ]
    final = levels[-1]
    tail = len(values)
    for start, level in zip(reversed(starts), reversed(levels), strict=True):
        if abs(level - final) > EQUIVALENT:
            break
        tail = start
    if tail == 0:
        return SteadyState.FLAT, tail
    if len(values) - tail < TAIL_SHARE * len(values):
        return SteadyState.NONE, tail
    slowed = min(levels) < final - EQUIVALENT
    return SteadyState.SLOWDOWN if slowed else SteadyState.WARM_UP, tail
