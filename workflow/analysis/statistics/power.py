"""How large a gap a number of runs can decide, by the report's own rule.

A column is shown slower when a one-sided paired t test puts its ratio to the fastest beyond 1.02:
at 2.5 %, or in a row of several at 2.5 % over their number, which is Holm's first step. When the
runs of each column scatter by a relative standard deviation, those of a ratio scatter by sqrt(2)
times as much. `tests/analysis/test_power.py` compares these gaps with simulated runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from analysis.statistics.intervals import CONFIDENCE, MARGIN, Moderate, as_measured
from analysis.statistics.moderation import Prior, Sample

POWER = 0.80  # of experiments show a gap that counts as decided
POINTS = 400  # of the distribution of a sample variance


def decided_gap(
    runs: int, scatter: float, comparisons: int = 1, moderate: Moderate = as_measured
) -> float:
    """The gap that is shown in POWER of all experiments: 0.07 means 7 % slower.

    `scatter` is the relative standard deviation of the run means of a column, `comparisons` the
    number of columns that are tested against the fastest. `moderate` works on variances in units of
    the true one.
    """
    level = (1 - CONFIDENCE) / 2 / comparisons
    shift = _shift(_needed(runs - 1, level, moderate))
    return (1 + MARGIN) * math.exp(shift * scatter * math.sqrt(2 / runs)) - 1


def moderation_of(degrees_of_freedom: float) -> Moderate:
    """By a prior of so many degrees of freedom whose variance is the true one."""
    prior = Prior(degrees_of_freedom, level=0.0, slope=0.0, most=math.inf)
    return lambda variance, freedom: prior.moderated(Sample(variance, freedom))


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


def _shift(needed: Sequence[float]) -> float:
    """Where the true ratio has to lie for the mean to exceed what is needed in POWER of all."""
    normal = NormalDist()
    low, high = 0.0, max(needed) + 3
    for _ in range(60):
        middle = (low + high) / 2
        shown = math.fsum(normal.cdf(middle - value) for value in needed) / len(needed)
        low, high = (middle, high) if shown < POWER else (low, middle)
    return high
