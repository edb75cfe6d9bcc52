"""The geometric mean of one ratio of times over the rows of a table.

Every row weighs the same, whatever its ms/step. In each row the two times are paired by round, so
that the machine's drift cancels; between rows the errors are those of different processes, taken as
independent. The variance of the mean is then the sum of those of the rows, and its degrees of
freedom are Welch's and Satterthwaite's, because rows differ in noise and in runs. Variances are not
moderated here: the sum over rows knows already what the rows have in common.

Rows whose rounds lie on several nodes are not independent: a column that is slower on a node is so
in every row. Of these the variance is that between nodes (cluster-robust).

The mean says nothing about a row that is missing from it, so it names those rows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.statistics.intervals import (
    MIN_RUNS,
    Interval,
    Moderate,
    Runs,
    as_measured,
    deviation,
    independent,
    interval_around,
    log_ratios,
)
from analysis.statistics.starts import values_by


@dataclass(frozen=True)
class MeanRatio:
    """A geometric mean over rows, of the ratios that the rows show; the interval is None when one
    of them has fewer than two rounds.
    """

    value: float
    interval: Interval | None
    rows: tuple[str, ...]
    missing: tuple[str, ...]  # rows in which no round has both


def mean_ratio(
    rows: Mapping[str, tuple[Runs, Runs]], correlation: float = 0.0, means: int = 1
) -> MeanRatio | None:
    """The mean from (times, base) of each row, by its name; None when every row is missing. The
    intervals of so many `means` hold all at once. `correlation`: of the log ratios of one start.
    """
    logs = {name: log_ratios(times, base) for name, (times, base) in rows.items()}
    kept = {name: values_by("node", found) for name, found in logs.items() if found}
    if not kept:
        return None
    values = [independent(logs[name], correlation) for name in kept]
    mean = fmean(map(fmean, values))
    interval = None
    if all(len(found) >= MIN_RUNS for found in values):
        interval = _interval(mean, list(kept.values()), values, means)
    missing = tuple(name for name in logs if name not in kept)
    return MeanRatio(math.exp(mean), interval, tuple(kept), missing)


def _interval(
    mean: float, rows: list[dict[str, list[float]]], values: list[list[float]], means: int
) -> Interval:
    parts = [of_mean(logs) for row, logs in zip(rows, values, strict=True) if len(row) == 1]
    parts += _of_nodes([row for row in rows if len(row) > 1])
    error, freedom = of_sum(parts)
    return interval_around(mean, error / len(rows), freedom, means)


def of_sum(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Standard error of a sum of independent values, and its degrees of freedom by Welch and
    Satterthwaite, from the variance and the degrees of freedom of each.
    """
    total = math.fsum(variance for variance, _ in parts)
    if total == 0:
        return 0.0, math.inf
    spent = math.fsum((variance / total) ** 2 / freedom for variance, freedom in parts)
    return math.sqrt(total), 1 / spent


def of_mean(logs: list[float], moderate: Moderate = as_measured) -> tuple[float, float]:
    """Variance of the mean of logarithms, and its degrees of freedom."""
    variance, freedom = moderate(deviation(logs) ** 2, len(logs) - 1)
    return variance / len(logs), freedom


def _of_nodes(rows: list[dict[str, list[float]]]) -> list[tuple[float, int]]:
    """Variance of the sum of the means of rows on several nodes, and its degrees of freedom; empty
    without such a row. What a node adds to each row that it measured is added up before it is
    squared.
    """
    if not rows:
        return []
    of_nodes: dict[str, float] = {}
    for row in rows:
        means = {node: fmean(logs) for node, logs in row.items()}
        middle = fmean(means.values())
        for node, mean in means.items():
            of_nodes[node] = of_nodes.get(node, 0.0) + (mean - middle) / len(means)
    number = len(of_nodes)
    squares = math.fsum(added**2 for added in of_nodes.values())
    return [(number / (number - 1) * squares, number - 1)]
