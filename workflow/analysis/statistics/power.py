"""How large a gap a number of runs can decide, by the report's own rule.

A column is shown slower when a one-sided paired t test puts its ratio to the fastest beyond 1.02:
at 2.5 %, or in a row of several at 2.5 % over their number, which is Holm's first step. When the
runs of each column scatter by a relative standard deviation, those of a ratio scatter by sqrt(2)
times as much. Rows differ in how much a pair of columns scatters: the logarithm of the standard
deviation is taken to vary by SPREAD around that of the pair, which a moderated variance is weighed
with. `tests/analysis/test_power.py` compares these gaps with simulated runs.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

from analysis.statistics.intervals import CONFIDENCE, MARGIN
from analysis.statistics.moderation import Prior

POWER = 0.80  # of experiments show a gap that counts as decided
POINTS = 100  # of the distribution of a sample variance
SPREAD, SPREADS = 0.5, 9  # of the logarithm of a row's scatter, and points of its distribution
LEVEL = (1 - CONFIDENCE) / 2  # of a one-sided test


def decided_gap(runs: int, scatter: float, comparisons: int = 1, moderated: bool = False) -> float:
    """The gap that is shown in POWER of all experiments: 0.07 means 7 % slower.

    `scatter` is the relative standard deviation of the run means of a column, in the median row;
    `comparisons` the number of columns that are tested against the fastest.
    """
    shift = _shift(runs - 1, LEVEL / comparisons, moderated)
    return (1 + MARGIN) * math.exp(shift * scatter * math.sqrt(2 / runs)) - 1


def row_scatters() -> list[float]:
    """Equally likely ratios of a row's scatter to that of the median row."""
    normal = NormalDist()
    tails = [(point + 0.5) / SPREADS for point in range(SPREADS)]
    return [math.exp(SPREAD * normal.inv_cdf(tail)) for tail in tails]


def _needed(degrees_of_freedom: int, level: float, moderated: bool) -> list[tuple[float, float]]:
    """For equally likely rows and sample variances: how far a mean has to lie beyond the margin,
    and its true standard error, both in those of the median row.
    """
    from scipy.special import chdtri, stdtrit  # here: importing takes longer than most commands

    prior, needed = Prior(1.0), []
    for scatter in row_scatters():
        for point in range(POINTS):
            tail = (point + 0.5) / POINTS
            variance = scatter**2 * float(chdtri(degrees_of_freedom, tail)) / degrees_of_freedom
            used, freedom = variance, degrees_of_freedom
            if moderated:
                used, freedom = prior.moderated(variance, degrees_of_freedom)
            needed.append((math.sqrt(used) * float(stdtrit(freedom, 1 - level)), scatter))
    return needed


@cache
def _shift(degrees_of_freedom: int, level: float, moderated: bool) -> float:
    """Where the true ratio has to lie for the mean to exceed what is needed in POWER of all, in
    true standard errors of the median row.
    """
    normal, needed = NormalDist(), _needed(degrees_of_freedom, level, moderated)
    low, high = 0.0, max(value + 3 * error for value, error in needed)
    for _ in range(40):
        middle = (low + high) / 2
        shown = math.fsum(normal.cdf((middle - value) / error) for value, error in needed)
        low, high = (middle, high) if shown / len(needed) < POWER else (low, middle)
    return high
