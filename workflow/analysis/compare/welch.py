"""The ratio of two cells whose runs are not paired, because they are of two archives."""

import math
from collections.abc import Sequence
from statistics import fmean

from analysis.statistics.intervals import MIN_RUNS, Moderate, Ratio, as_measured
from analysis.statistics.mean_ratio import of_mean, of_sum


def welch_ratio(
    times: Sequence[float],
    base: Sequence[float],
    moderate: tuple[Moderate, Moderate] = (as_measured, as_measured),
) -> Ratio:
    """Geometric mean of `times` over that of `base` (ms/step of runs, or means of nodes, at least
    one of each) with Welch's 95 % interval on logarithms; no interval where either has fewer than
    two. `moderate`: how the variance of each is moderated.

    The variances are not taken as equal: another version may be noisier. Degrees of freedom are
    Welch's and Satterthwaite's.
    """
    samples = [list(map(math.log, times)), list(map(math.log, base))]
    difference = fmean(samples[0]) - fmean(samples[1])
    number, error, freedom = min(map(len, samples)), None, 0.0
    if number >= MIN_RUNS:
        error, freedom = of_sum(list(map(of_mean, samples, moderate)))
    return Ratio(difference, error, freedom, number)
