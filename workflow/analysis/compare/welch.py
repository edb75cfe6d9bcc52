"""The ratio of two cells whose runs are not paired, as those of two archives."""

import math
from collections.abc import Sequence
from statistics import fmean

from analysis.statistics.intervals import MIN_RUNS, Ratio, deviation, interval_around


def welch_ratio(times: Sequence[float], base: Sequence[float]) -> Ratio | None:
    """Geometric mean of `times` over that of `base` (ms/step of runs, or means of nodes) with
    Welch's 95 % interval on logarithms; no interval where either has fewer than two, None where
    either has none.

    The variances are not taken as equal: another version may be noisier. Degrees of freedom are
    Welch's and Satterthwaite's.
    """
    if not times or not base:
        return None
    samples = [list(map(math.log, times)), list(map(math.log, base))]
    difference = fmean(samples[0]) - fmean(samples[1])
    number, interval, freedom = min(map(len, samples)), None, 0.0
    if number >= MIN_RUNS:
        error, freedom = _error(samples)
        interval = interval_around(difference, error, freedom)
    return Ratio(math.exp(difference), interval, number, number, freedom)


def _error(samples: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Of the difference of the means, and its degrees of freedom."""
    variances = [deviation(logs) ** 2 / len(logs) for logs in samples]
    total = math.fsum(variances)
    if total == 0:
        return 0.0, math.inf
    shares = [variance / total for variance in variances]
    spent = math.fsum(
        share**2 / (len(logs) - 1) for share, logs in zip(shares, samples, strict=True)
    )
    return math.sqrt(total), 1 / spent
