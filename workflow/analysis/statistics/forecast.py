"""What further rounds of a row would show, and how often chance alone shows something: simulated.

Predictive power (Spiegelhalter, Freedman and Blackburn 1986): true times and scatter are drawn from
what the rounds so far leave open, further rounds from those, and the verdicts of the report are
asked of all rounds together. To take the means for the true ones instead says 'never' wherever two
of them happen to lie near the margin.

What is left open is also that the columns are equal, which flat priors would hold for impossible.
So half of the prior says that they are, and half that they differ by as much as scatter does not
explain (a normal distribution, its variance by DerSimonian and Laird 1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from analysis.statistics.best_set import Contest
from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.intervals import (
    CONFIDENCE,
    MARGIN,
    MIN_RUNS,
    Moderate,
    deviation,
    paired_logs,
)

if TYPE_CHECKING:
    from numpy import ndarray

MOST_ROUNDS = 100  # more would take longer than anybody waits
LIKELY = 0.5  # of experiments decide it after the rounds that are told: as likely as not
DRAWS = 100
MOST_COLUMNS = 12
EDGE = math.log1p(MARGIN)
TAIL = (1 - CONFIDENCE) / 2
GRID = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48, 57, 67, 82, 98)


@dataclass(frozen=True)
class Field:
    """Columns of a row, by their names; pairs are those of `combinations`. Of a wide row only the
    fastest MOST_COLUMNS are looked at: time and memory grow with the pairs.
    """

    contest: Contest
    columns: Collection[str]

    @cached_property
    def names(self) -> list[str]:
        means = adjusted_logs({name: self.contest.row[name] for name in self.columns})
        return sorted(means, key=means.__getitem__)[:MOST_COLUMNS]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.names)), 2))

    @cached_property
    def logs(self) -> list[list[float]]:
        """Paired log ratios of every pair, by round."""
        row = self.contest.row
        return [paired_logs(row[self.names[a]], row[self.names[b]]) for a, b in self.pairs]

    @cached_property
    def moderates(self) -> list[Moderate]:
        return [self.contest.moderate(self.names[a], self.names[b]) for a, b in self.pairs]

    @cached_property
    def usable(self) -> bool:
        """Whether there are two columns at least, every two with two rounds in common."""
        return bool(self.pairs) and all(len(logs) >= MIN_RUNS for logs in self.logs)

    @cached_property
    def scatter(self) -> ndarray:
        """Variance of the logarithm of a round of every column, by which the variances of all pairs
        are best explained (least squares, none negative).
        """
        import numpy
        from scipy.optimize import nnls

        design = numpy.zeros((len(self.pairs), len(self.names)))
        for line, pair in enumerate(self.pairs):
            design[line, pair] = 1
        used = [
            _likely(deviation(logs) ** 2, len(logs) - 1, moderate)
            for logs, moderate in zip(self.logs, self.moderates, strict=True)
        ]
        if len(used) == 1:
            return numpy.array(used * 2) / 2
        return nnls(design, numpy.array(used))[0]

    @property
    def freedom(self) -> int:
        """Degrees of freedom that the rounds leave to the scatter of all columns together."""
        return (len(self.names) - 1) * (min(map(len, self.logs)) - 1)

    def p_values(self, means: ndarray, variances: Sequence[ndarray], rounds: Sequence[int]):
        """One-sided p of not being slower by more than the margin: experiments x column x rival.

        Of means (experiments x columns), and of each pair its sample variances and its rounds.
        """
        import numpy
        from scipy.special import stdtr

        found = numpy.full((*means.shape, means.shape[1]), 1.0)
        parts = zip(self.pairs, variances, rounds, self.moderates, strict=True)
        for (a, b), variance, number, moderate in parts:
            used, freedom = moderate(variance, number - 1)
            error = numpy.sqrt(used / number) + 1e-300
            ahead = means[:, a] - means[:, b]
            found[:, a, b] = stdtr(freedom, (EDGE - ahead) / error)
            found[:, b, a] = stdtr(freedom, (EDGE + ahead) / error)
        return found


def rounds_to_place(contest: Contest, names: Collection[str]) -> int | None:
    """How many more rounds as likely as not give each of these columns its place in the row: shown
    slower, or best or equal. None where MOST_ROUNDS in all would not.
    """
    return _search(Field(contest, names), _placed)


def rounds_to_decide(contest: Contest, names: Collection[str]) -> int | None:
    """The same of a single pair, until its interval lies beyond the margin or within it."""
    return _search(Field(contest, names), _told_apart)


def false_slower(contest: Contest, draws: int) -> float:
    """The chance that a row of columns that scatter as these do, but are all equally fast, has one
    that is shown slower, by so many experiments.
    """
    import numpy

    field = Field(contest, {contest.fastest, *contest.p_values})
    if not field.usable:
        return 0.0
    generator = numpy.random.default_rng(1)
    names, rounds = field.names, [len(logs) for logs in field.logs]
    scatter = field.scatter
    means = numpy.sqrt(scatter / min(rounds)) * generator.normal(size=(draws, len(names)))
    variances = [
        (scatter[a] + scatter[b]) * generator.chisquare(number - 1, draws) / (number - 1)
        for (a, b), number in zip(field.pairs, rounds, strict=True)
    ]
    p_values = _against_fastest(means, field.p_values(means, variances, rounds))
    return float(numpy.mean(p_values.min(axis=1) <= TAIL / (len(names) - 1)))


def _search(field: Field, share: Callable[[ndarray, ndarray], float]) -> int | None:
    """The least of GRID after which enough experiments are decided."""
    if not field.usable:
        return None
    most = MOST_ROUNDS - max(map(len, field.logs))
    grid = [more for more in GRID if more <= most]
    future = _Future(field)
    low, high = 0, len(grid)
    while low < high:
        middle = (low + high) // 2
        if share(*future.after(grid[middle])) >= LIKELY:
            high = middle
        else:
            low = middle + 1
    return grid[low] if low < len(grid) else None


class _Future:
    """Experiments that go on where a field stands, with the same draws for every number of
    rounds.
    """

    def __init__(self, field: Field) -> None:
        import numpy

        generator = numpy.random.default_rng(1)
        shape = (DRAWS, len(field.names))
        of_rounds = field.freedom / generator.chisquare(field.freedom, DRAWS)
        means = adjusted_logs({name: field.contest.row[name] for name in field.names})
        self.field = field
        self.rounds = [len(logs) for logs in field.logs]
        self.so_far = numpy.array([means[name] for name in field.names])
        self.scatter = field.scatter * of_rounds[:, None]
        kept = _not_by_chance(self.so_far, field.scatter / min(self.rounds))[None, :]
        equal = numpy.arange(DRAWS) < DRAWS * _equal(self.so_far, field.scatter / min(self.rounds))
        kept = kept * ~equal[:, None]
        middle = self.so_far.mean()
        error = numpy.sqrt(kept * self.scatter / min(self.rounds))
        self.true = middle + kept * (self.so_far - middle) + error * generator.normal(size=shape)
        self.luck = generator.normal(size=shape)
        self.spread = generator.normal(size=(len(field.pairs), DRAWS))

    def after(self, more: int) -> tuple[ndarray, ndarray]:
        """Means, and p-values as of a field, after so many more rounds."""
        have = min(self.rounds)
        further = self.true + self.luck * (self.scatter / more) ** 0.5
        means = (have * self.so_far + more * further) / (have + more)
        wobble = 2 / (9 * more)  # of a chi-squared variable, by Wilson and Hilferty
        variances = []
        for (a, b), logs, spread in zip(
            self.field.pairs, self.field.logs, self.spread, strict=True
        ):
            own = (len(logs) - 1) * deviation(logs) ** 2
            ratio = (1 - wobble + spread * wobble**0.5).clip(0) ** 3
            new = more * (self.scatter[:, a] + self.scatter[:, b]) * ratio
            variances.append((own + new) / (len(logs) - 1 + more))
        rounds = [number + more for number in self.rounds]
        return means, self.field.p_values(means, variances, rounds)


def _likely(variance: float, degrees_of_freedom: int, moderate: Moderate) -> float:
    """Weighed with what is borrowed, also where that is less than the variance: intervals are never
    narrowed by it, which would make a forecast too long.
    """
    borrowed, freedom = moderate(0.0, degrees_of_freedom)
    return variance * degrees_of_freedom / freedom + borrowed


def _not_by_chance(means: ndarray, errors: ndarray) -> ndarray:
    """The share of each column's distance from the others that is not its own scatter, by the
    squared standard errors of the means.
    """
    weights = 1 / (errors + 1e-30)
    excess = _distance(means, errors) - (len(means) - 1)
    between = max(0.0, excess / (weights.sum() - weights @ weights / weights.sum() + 1e-300))
    return between / (between + errors + 1e-30)


def _equal(means: ndarray, errors: ndarray) -> float:
    """How probable it is after these means that the columns are equal, where before it was a half:
    by the likelihood of their distance, against that of the scale that fits it best.
    """
    others = len(means) - 1
    scale = max(_distance(means, errors) / others, 1.0)
    return 1 / (1 + math.exp(min(others * (scale - 1 - math.log(scale)) / 2, 700)))


def _distance(means: ndarray, errors: ndarray) -> float:
    """Of the means from their weighted mean, squared, in units of their errors: chi-squared where
    they are equal.
    """
    weights = 1 / (errors + 1e-30)
    return float(weights @ (means - weights @ means / weights.sum()) ** 2)


def _against_fastest(means: ndarray, p_values: ndarray) -> ndarray:
    """Experiments x columns; the fastest itself is never slower."""
    import numpy

    fastest = means.argmin(axis=1)
    return numpy.take_along_axis(p_values, fastest[:, None, None], axis=2)[..., 0]


def _placed(means: ndarray, p_values: ndarray) -> float:
    """Share of experiments in which every column is shown slower (Holm), or best or equal."""
    import numpy

    columns = means.shape[1]
    behind = _against_fastest(means, p_values)
    order = behind.argsort(axis=1)
    levels = TAIL / numpy.maximum(columns - 1 - numpy.arange(columns), 1)
    steps = numpy.cumprod(numpy.take_along_axis(behind, order, axis=1) <= levels, axis=1)
    slower = numpy.zeros_like(behind, dtype=bool)
    numpy.put_along_axis(slower, order, steps.astype(bool), axis=1)
    equal = (p_values >= 1 - TAIL) | slower[:, None, :] | numpy.eye(columns, dtype=bool)
    return float(numpy.mean((slower | equal.all(axis=2)).all(axis=1)))


def _told_apart(means: ndarray, p_values: ndarray) -> float:
    """Share of experiments in which the interval of the pair decides."""
    first, second = p_values[:, 0, 1], p_values[:, 1, 0]
    same = (first >= 1 - TAIL) & (second >= 1 - TAIL)
    return float((same | (first <= TAIL) | (second <= TAIL)).mean())
