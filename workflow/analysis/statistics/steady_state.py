"""Whether the steps of a run reached a steady state, from the means of its blocks.

After Barrett, Bolz-Tereick, Killick, Mount and Tratt 2017, "Virtual machine warmup blows hot and
cold": change points cut a run into segments, segments within 1 % of each other are equivalent, and
their order gives the class. Their series have 2,000 single iterations, ours some ten to a hundred
means of blocks, so that some choices differ:

Values are logarithms of the block means, since times are compared as ratios.

Change points minimise the squared distances from the means of the segments, in units of the
variance of the noise, plus 15 ln n for each (PELT; `ruptures`). 15 ln n is theirs; it takes a shift
of about four standard deviations that lasts for half of ten blocks.

The noise is a robust scale of the differences of neighbouring blocks (their upper quartile over
that of a normal distribution): levels do not enter it, nor up to a quarter of jumps. It counts as
at least 0.25 %, the precision that timing stops at: less is not resolved.

Spikes: a single block apart from both of its neighbours is another process, not another state. As
Barrett et al. do, we take outliers out before we look for changes, by running medians of three. The
first block is never taken out: one slow block at the start is what warm-up looks like. The mean
that is printed keeps every block.

Fewer than eight blocks are not tested: nothing short of a landslide would be found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import median, quantiles

from analysis.statistics.intervals import run_mean_ms

MIN_BLOCKS = 8
PENALTY = 15  # times ln(blocks), for each change point
EQUIVALENT = math.log(1.01)
QUIET = 0.0025  # noise below this share of a step is not resolved
UPPER_QUARTILE = 1.6269  # of |x - y|, for x and y of standard normal distribution
TAIL_SHARE = 0.25  # of the blocks, that the final level holds at least; theirs is 500 of 2,000

Blocks = Sequence[tuple[int, int]]  # steps, elapsed nanoseconds


class SteadyState(StrEnum):
    """How the time of a step developed during a run."""

    FLAT = "flat"  # one level throughout
    WARM_UP = "warm-up"  # slower before it reached its final level, never faster
    SLOWDOWN = "slowdown"  # faster before it reached its final level
    NONE = "no steady state"  # the final level came too late to call it one
    NOT_TESTED = "not tested"  # too few blocks


@dataclass(frozen=True)
class Steadiness:
    """The class of a run, and how its printed mean relates to the level that it ended on."""

    state: SteadyState
    blocks: int
    tail_blocks: int  # of the final level
    mean_over_tail: float  # ms/step of all blocks over that of the final level

    @property
    def steady(self) -> bool:
        """Whether the printed mean is that of a steady state, as far as could be tested.

        Warm-up that moves the mean by less than 1 % does no harm: what followed is steady. A
        slowdown does whatever its size, since nobody saw where it ends.
        """
        if self.state is SteadyState.WARM_UP:
            return abs(math.log(self.mean_over_tail)) <= EQUIVALENT
        return self.state in (SteadyState.FLAT, SteadyState.NOT_TESTED)


def steadiness(blocks: Blocks) -> Steadiness:
    """The class of one run from its blocks."""
    count = len(blocks)
    if count < MIN_BLOCKS:
        return Steadiness(SteadyState.NOT_TESTED, count, count, 1.0)
    logs = [math.log(elapsed_ns / steps) for steps, elapsed_ns in blocks]
    starts = change_points(without_spikes(logs), noise(logs))
    state, tail = _judge(without_spikes(logs), starts)
    return Steadiness(state, count, count - tail, run_mean_ms(blocks) / run_mean_ms(blocks[tail:]))


def worst(of_runs: Sequence[Steadiness]) -> Steadiness:
    """The run that decides for its cell: one that is not steady before one that is."""
    order = list(SteadyState)
    return max(
        of_runs, key=lambda steadiness: (not steadiness.steady, order.index(steadiness.state))
    )


def without_spikes(values: Sequence[float]) -> list[float]:
    """Running medians of three; the first value stays, the last is the median of the last three."""
    starts = [min(i - 1, len(values) - 3) for i in range(1, len(values))]
    return [values[0], *(median(values[start : start + 3]) for start in starts)]


def noise(values: Sequence[float]) -> float:
    """Standard deviation of the noise around levels that jump now and then."""
    jumps = [abs(after - before) for before, after in pairwise(values)]
    return max(quantiles(jumps, n=4, method="inclusive")[2] / UPPER_QUARTILE, QUIET)


def change_points(values: Sequence[float], deviation: float) -> list[int]:
    """Where each segment starts, 0 first; found by PELT on values in units of the deviation."""
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


def _judge(values: Sequence[float], starts: Sequence[int]) -> tuple[SteadyState, int]:
    """The class, and the first block of the final level."""
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
