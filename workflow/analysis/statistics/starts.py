"""What the runs of one start have in common, and intervals of ratios that allow for it.

What one start of Snakemake measures has one state of the machine, which may make a cell faster or
slower in all its rounds of that start. How alike they are is the consensus intra-block correlation
of Smyth, Michaud and Scott 2005 (duplicateCorrelation of limma), with starts as blocks: one number
for all ratios of a table, since each of them alone says next to nothing of it. Theirs is a trimmed
mean on the scale of atanh. Ours is the median, which is the same on any scale: two starts are one
degree of freedom, of which the mean lies far below the truth, and the median where F's is.

A table of a single start cannot tell. There, and where no correlation is found, nothing changes.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import cache
from statistics import fmean, median

Logs = Mapping[Hashable, float]  # log ratios, by sitting
MIN_ROWS = 4  # that were measured in several starts; fewer say too little
MIN_WITHIN = 2  # degrees of freedom within the starts of a ratio that counts
HIGHEST = 0.99


def consensus(rows: Iterable[Iterable[Logs]]) -> float:
    """The correlation of two runs of one start, from the ratios of each row; 0 where too few tell,
    and where they say that it is less.
    """
    found = [[each for logs in row if (each := _correlation(logs)) is not None] for row in rows]
    if sum(map(bool, found)) < MIN_ROWS:
        return 0.0
    return min(max(median(each for row in found for each in row), 0.0), HIGHEST)


def _correlation(logs: Logs) -> float | None:
    """The correlation by one ratio, from the mean squares of an analysis of variance, that within
    starts times the median of F; None where they tell nothing.
    """
    starts = list(values_by("start", logs).values())
    number, blocks = len(logs), len(starts)
    if blocks < 2 or number - blocks < MIN_WITHIN:
        return None
    of_starts = math.fsum(map(squares, starts))
    between = (squares(logs.values()) - of_starts) / (blocks - 1)
    within = of_starts / (number - blocks) * _median_of_f(blocks - 1, number - blocks)
    runs = (number - _runs_beside(starts)) / (blocks - 1)  # of a start, where they differ in number
    total = between + (runs - 1) * within
    return (between - within) / total if total else None


def squares(values: Collection[float]) -> float:
    """Sum of squared deviations from the mean."""
    mean = fmean(values)
    return math.fsum((value - mean) ** 2 for value in values)


@cache
def _median_of_f(between: int, within: int) -> float:
    from scipy.special import fdtri  # here, because importing it takes longer than most commands

    return float(fdtri(between, within, 0.5))


def independent_of_start(logs: Logs, correlation: float) -> list[float]:
    """As many values of the same mean whose plain variance tells how uncertain that is: those of
    one start are drawn apart, as far as the correlation had drawn them together. Where starts have
    as many rounds, Student's t of these is that of generalised least squares.
    """
    starts = values_by("start", logs)
    number, blocks = len(logs), len(starts)
    if not correlation or blocks < 2 or blocks == number:
        return [logs[place] for place in sorted(logs)]
    odds = correlation / (1 - correlation)
    beside = _runs_beside(starts.values()) - 1
    apart = math.sqrt(1 + odds * number * beside / (number - blocks))
    means = {start: fmean(values) for start, values in starts.items()}
    return [
        mean + apart * (value - mean) for start, mean in means.items() for value in starts[start]
    ]


def values_by(part: str, logs: Logs) -> dict[str, list[float]]:
    """The values by the `start`, or `node`, of their sittings, each in the order of their rounds;
    all are of one where only rounds are known.
    """
    found: dict[str, list[float]] = {}
    for place in sorted(logs):
        found.setdefault(getattr(place, part, ""), []).append(logs[place])
    return found


def _runs_beside(starts: Iterable[list[float]]) -> float:
    """How many runs the start of a run has, that run among them, on average over runs."""
    sizes = [len(values) for values in starts]
    return sum(size**2 for size in sizes) / sum(sizes)
