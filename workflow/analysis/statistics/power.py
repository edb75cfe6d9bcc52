"""How large a gap a number of runs can decide, by the report's own rule.

A column is shown slower when a one-sided paired t test puts its ratio to the fastest beyond 1.02:
at 2.5 %, or in a row of several at 2.5 % over their number, which is Holm's first step. When the
runs of each column scatter by a relative standard deviation, those of a ratio scatter by sqrt(2)
times as much. `tests/analysis/test_power.py` compares these gaps with simulated runs.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist

from analysis.statistics.intervals import CONFIDENCE, MARGIN, MIN_RUNS, Moderate, as_measured
from analysis.statistics.moderation import Prior, Sample

POWER = 0.80  # of experiments show a gap that counts as decided
POINTS = 400  # of the distribution of a sample variance
LEVEL = (1 - CONFIDENCE) / 2  # of a one-sided test
MOST_ROUNDS = 100  # more would take longer than anybody waits


def decided_gap(
    runs: int, scatter: float, comparisons: int = 1, moderate: Moderate = as_measured
) -> float:
    """The gap that is shown in POWER of all experiments: 0.07 means 7 % slower.

    `scatter` is the relative standard deviation of the run means of a column, `comparisons` the
    number of columns that are tested against the fastest. `moderate` works on variances in units of
    the true one.
    """
    level = LEVEL / comparisons
    shift = _shift(_needed(runs - 1, level, moderate))
    return (1 + MARGIN) * math.exp(shift * scatter * math.sqrt(2 / runs)) - 1


def moderation_of(degrees_of_freedom: float) -> Moderate:
    """By a prior of so many degrees of freedom whose variance is the true one."""
    prior = Prior(degrees_of_freedom, level=0.0, slope=0.0, most=math.inf)
    return lambda variance, freedom: prior.moderated(Sample(variance, freedom))


def rounds_to_decide(log_ratio: float, deviation: float) -> int | None:
    """After how many rounds POWER of experiments decide a ratio of times: show that it lies beyond
    the margin, or within it. None where MOST_ROUNDS would not.

    `log_ratio` is taken for the true one, `deviation` is that of the log ratios of single rounds,
    which later rounds are taken to have, weighed by themselves alone.
    """
    edge = math.log1p(MARGIN)
    # To lie within the margin, both ends of an interval have to.
    power = POWER if abs(log_ratio) > edge else (1 + POWER) / 2
    return _rounds(abs(abs(log_ratio) - edge), deviation, LEVEL, power)


def rounds_to_place(log_ratio: float, deviation: float, comparisons: int = 1) -> int | None:
    """After how many rounds POWER of experiments show on which side of the margin the time of a
    column lies, over that of a rival: slower than by the margin, or at most by it. None where
    MOST_ROUNDS would not.

    One-sided, as columns are placed in their row; slower is shown by Holm's first step among so
    many `comparisons`. The others are as in :func:`rounds_to_decide`.
    """
    edge = math.log1p(MARGIN)
    level = LEVEL / comparisons if log_ratio > edge else LEVEL
    return _rounds(abs(log_ratio - edge), deviation, level, POWER)


def _rounds(distance: float, deviation: float, level: float, power: float) -> int | None:
    """After how many rounds a mean at this distance from a limit is shown to be beyond it."""
    enough = bisect_left(
        range(MIN_RUNS, MOST_ROUNDS + 1),
        True,
        key=lambda rounds: (
            _plain_shift(rounds, level, power) * deviation <= distance * math.sqrt(rounds)
        ),
    )
    return MIN_RUNS + enough if MIN_RUNS + enough <= MOST_ROUNDS else None


@cache
def _plain_shift(rounds: int, level: float, power: float) -> float:
    """How many true standard errors a mean has to lie beyond a limit for its interval to do so."""
    return _shift(_needed(rounds - 1, level, as_measured), power)


def _needed(degrees_of_freedom: int, level: float, moderate: Moderate) -> list[float]:
    """How many true standard errors a mean has to lie beyond the margin, for equally likely sample
    variances.
    """
    from scipy.special import chdtri, stdtrit  # here: importing takes longer than most commands

    needed = []
    for point in range(POINTS):
        tail = (point + 0.5) / POINTS
        variance = float(chdtri(degrees_of_freedom, tail)) / degrees_of_freedom
        used, freedom = moderate(variance, degrees_of_freedom)
        needed.append(math.sqrt(used) * float(stdtrit(freedom, 1 - level)))
    return needed


def _shift(needed: Sequence[float], power: float = POWER) -> float:
    """Where the true ratio has to lie for the mean to exceed what is needed in this share of
    all.
    """
    normal = NormalDist()
    low, high = 0.0, max(needed) + 3
    for _ in range(60):
        middle = (low + high) / 2
        shown = math.fsum(normal.cdf(middle - value) for value in needed) / len(needed)
        low, high = (middle, high) if shown < power else (low, middle)
    return high
