"""The geometric mean of one ratio of times over the rows of a table.

Every row weighs the same, whatever its ms/step. In each row the two times are paired by round, so
that the machine's drift cancels; between rows the errors are those of different processes, taken as
independent. The variance of the mean is then the sum of those of the rows, and its degrees of
freedom are Welch's and Satterthwaite's, because rows differ in noise and in runs. Variances are not
moderated here: the sum over rows knows already what the rows have in common.

The mean says nothing about a row that is missing from it, so it names those rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from analysis.statistics.intervals import (
    MIN_RUNS,
    Interval,
    Runs,
    Verdict,
    deviation,
    interval_around,
    paired_logs,
    verdict,
)


@dataclass(frozen=True)
class MeanRatio:
    """A geometric mean over rows, of the ratios that the rows show; the interval is None when one
    of them has fewer than two rounds.
    """

    value: float
    interval: Interval | None
    rows: tuple[str, ...]
    missing: tuple[str, ...]  # rows in which no round has both

    @property
    def verdict(self) -> Verdict:
        return verdict(self.interval)


def mean_ratio(rows: Mapping[str, tuple[Runs, Runs]]) -> MeanRatio | None:
    """From (times, base) of each row, by its name; None when every row is missing."""
    logs = {name: paired_logs(times, base) for name, (times, base) in rows.items()}
    kept = {name: found for name, found in logs.items() if found}
    if not kept:
        return None
    mean = fmean(map(fmean, kept.values()))
    interval = None
    if all(len(found) >= MIN_RUNS for found in kept.values()):
        interval = _interval(mean, list(kept.values()))
    missing = tuple(name for name in logs if name not in kept)
    return MeanRatio(math.exp(mean), interval, tuple(kept), missing)


def _interval(mean: float, rows: list[list[float]]) -> Interval:
    variances = [deviation(logs) ** 2 / len(logs) for logs in rows]
    total = math.fsum(variances)
    if total == 0:
        return Interval(math.exp(mean), math.exp(mean))
    shares = [variance / total for variance in variances]
    spent = math.fsum(share**2 / (len(logs) - 1) for share, logs in zip(shares, rows, strict=True))
    return interval_around(mean, math.sqrt(total) / len(rows), 1 / spent)
