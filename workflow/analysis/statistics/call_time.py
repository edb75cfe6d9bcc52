"""The part of the time of a call that grows with the length of its cache.

A call takes t = a + b n + c n L for n new tokens at length L: a whatever is generated, b a token, c
a token and position of the cache. The times of a run are fitted by least squares on relative
deviations, because times scatter in proportion. The interval of a fit is of a single run and says
nothing about another one.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.statistics.intervals import Interval, t_interval_of

TERMS = 3  # a, b and c


@dataclass(frozen=True)
class Fit:
    """The share of c n L in a run's own call, and its standard error, None where no degrees of
    freedom are left for it.
    """

    share: float
    standard_error: float | None
    degrees_of_freedom: int

    @property
    def interval(self) -> Interval | None:
        """95 % interval by the scatter of the run's calls around the fit."""
        if self.standard_error is None:
            return None
        return t_interval_of(self.share, self.standard_error, self.degrees_of_freedom)


def fit(
    new_tokens: ArrayLike, max_length: ArrayLike, ms: ArrayLike, calls: ArrayLike
) -> Fit | None:
    """Fit the times of a run: `ms` are means of so many `calls`, the first one's n and L are the
    run's own. None where they cannot separate the three terms.

    The deviation of a time is taken as proportional to the mean time of its kind (n, L), and that
    of a mean of several calls as smaller by the root of their number.
    """
    n, length, times, number = (np.asarray(x, float) for x in (new_tokens, max_length, ms, calls))
    kinds, kind = np.unique(np.column_stack([n, length]), axis=0, return_inverse=True)
    if len(kinds) < TERMS:
        return None
    means = np.bincount(kind.ravel(), times * number) / np.bincount(kind.ravel(), number)
    weights = np.sqrt(number) / means[kind.ravel()]
    # Terms in units of the run's own call, so that each coefficient is its part of that call.
    terms = np.column_stack([np.ones_like(n), n / n[0], n * length / (n[0] * length[0])])
    return _fit(weights[:, None] * terms, weights * times)


def _fit(design: np.ndarray, times: np.ndarray) -> Fit | None:
    parts, _, rank, _ = np.linalg.lstsq(design, times, rcond=None)
    if rank < len(parts) or parts.sum() <= 0:
        return None
    share = float(parts[-1] / parts.sum())
    freedom = len(times) - len(parts)
    if freedom < 1:
        return Fit(share, None, freedom)
    variance = ((times - design @ parts) ** 2).sum() / freedom
    covariance = variance * np.linalg.inv(design.T @ design)
    gradient = (np.array([0.0, 0.0, 1.0]) - share) / parts.sum()  # of the share, by each part
    return Fit(share, math.sqrt(gradient @ covariance @ gradient), freedom)
