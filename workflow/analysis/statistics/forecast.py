"""What rounds show, simulated: how many more of them decide a row, how often chance alone makes a
column look slower, and how often one that is slower is shown to be.

How many more is predictive power (Spiegelhalter, Freedman and Blackburn 1986): true times and
scatter are drawn from what the rounds so far leave open, further rounds from those, and the
verdicts of the report are asked of all rounds together. To take the means for the true ones instead
says 'never' wherever two of them happen to lie near the margin.

What is left open is also that the columns are equal, which flat priors would hold for impossible.
So half of the prior says that they are, and half that they differ by as much as scatter does not
explain (a normal distribution, its variance by DerSimonian and Laird 1986).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from analysis.statistics.best_set import Contest
from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.intervals import CONFIDENCE, MARGIN, MIN_RUNS, Moderate, deviation

if TYPE_CHECKING:
    from numpy import ndarray

MOST_ROUNDS = 100  # more would take longer than anybody waits
LIKELY = 0.5  # share of experiments that the rounds told decide: as likely as not
DRAWS = 2000
FEW, ERROR = 200, 0.15  # so few are enough where their share is off by more: four standard errors
MOST_COLUMNS = 12
EDGE = math.log1p(MARGIN)
TAIL = (1 - CONFIDENCE) / 2


@dataclass(frozen=True)
class Field:
    """Columns of a row, by their names; pairs are those of `combinations`. Of a wide row only the
    fastest MOST_COLUMNS are looked at: time and memory grow with the pairs.
    """

    contest: Contest
    columns: Collection[str]

    @cached_property
    def means(self) -> dict[str, float]:
        """Mean logarithms by name, from the fastest to the slowest."""
        found = adjusted_logs({name: self.contest.row[name] for name in self.columns})
        return dict(sorted(found.items(), key=lambda item: item[1])[:MOST_COLUMNS])

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.means)), 2))

    @cached_property
    def logs(self) -> list[list[float]]:
        """Paired log ratios of every pair, by round."""
        return [self.contest.logs(*names) for names in combinations(self.means, 2)]

    @cached_property
    def moderates(self) -> list[Moderate]:
        return [self.contest.moderate(*names) for names in combinations(self.means, 2)]

    @property
    def usable(self) -> bool:
        """True if there are at least two columns, every two with two rounds in common."""
        return bool(self.pairs) and self.rounds >= MIN_RUNS

    @property
    def rounds(self) -> int:
        """The number of rounds that every two columns have in common, or of nodes they lie on."""
        return min(map(len, self.logs))

    @cached_property
    def scatter(self) -> ndarray:
        """Variance of the logarithm of a round of every column, by which the variances of all pairs
        are best explained (least squares, none negative).
        """
        import numpy  # here as elsewhere, because importing it takes longer than most commands
        from scipy.optimize import nnls

        design = numpy.zeros((len(self.pairs), len(self.means)))
        for line, pair in enumerate(self.pairs):
            design[line, pair] = 1
        parts = zip(self.logs, self.moderates, strict=True)
        used = [_likely(deviation(logs) ** 2, len(logs) - 1, how) for logs, how in parts]
        return numpy.array(used * 2) / 2 if len(used) == 1 else nnls(design, numpy.array(used))[0]

    def sums(self, logs: ndarray) -> tuple[ndarray, ndarray]:
        """Sums of the log ratios of every pair over the rounds, and of their squares: pairs x
        experiments. From logarithms: experiments x columns x rounds.
        """
        a, b = zip(*self.pairs, strict=True)
        total, product = logs.sum(axis=-1), logs @ logs.swapaxes(1, 2)
        squares = product[:, a, a] + product[:, b, b] - 2 * product[:, a, b]
        return (total[:, a] - total[:, b]).T, squares.T

    def p_values(
        self, rounds: Sequence[int], sums: ndarray, squares: ndarray
    ) -> tuple[ndarray, ndarray]:
        """One-sided p of not being slower by more than the margin: experiments x column x rival,
        and against the fastest by the means: experiments x columns.

        From sums over so many rounds of each pair, and of squares: pairs x experiments.
        """
        import numpy
        from scipy.special import stdtr

        columns = len(self.means)
        found = numpy.ones((sums.shape[1], columns, columns))
        ahead = numpy.zeros((sums.shape[1], columns))
        parts = zip(self.pairs, rounds, sums, squares, self.moderates, strict=True)
        for (a, b), number, total, square, moderate in parts:
            mean = total / number
            variance = (square - number * mean**2).clip(0) / (number - 1)
            used, freedom = moderate(variance, number - 1)
            error = numpy.sqrt(used / number) + 1e-300
            found[:, a, b] = stdtr(freedom, (EDGE - mean) / error)
            found[:, b, a] = stdtr(freedom, (EDGE + mean) / error)
            ahead[:, a] += mean
            ahead[:, b] -= mean
        fastest = ahead.argmin(axis=1)[:, None, None]
        return found, numpy.take_along_axis(found, fastest, axis=2)[..., 0]


def rounds_to_place(contest: Contest, names: Collection[str]) -> int | None:
    """How many more rounds as likely as not give each of these columns its place in the row: shown
    slower, or best or equal; two columns are then told apart, or the same. Rounded up to one
    significant digit, which is as much as DRAWS tell. None where MOST_ROUNDS in all would not.
    """
    field = Field(contest, names)
    if not field.usable:
        return None
    for draws, error in ((FEW, ERROR), (DRAWS, 0.0)):
        placed, most = _further(field, draws)
        if not most or placed(most) < LIKELY - error:
            return None
    more = 1 + bisect_left(range(1, most), LIKELY, key=placed)
    return more if more < 10 else min(-(-more // 10) * 10, most)  # what `runs` may be, at most


def field_of(contest: Contest) -> Field:
    """The columns of a row that were compared with its fastest."""
    return Field(contest, {contest.fastest, *contest.p_values})


def false_slower(field: Field, draws: int) -> float:
    """The chance that a row of columns that scatter as these do, but are all equally fast, has one
    that comes out significantly slower, by so many experiments.
    """
    return float(_slower_of_equal(field, draws).any(axis=1).mean())


def true_slower(field: Field, draws: int, gap: float) -> float:
    """The chance that a column comes out significantly slower that is slower by this gap than all
    others of such a row; each is that column in turn.
    """
    found = _slower_of_equal(field, draws, gap)
    return float(found[_each_in_turn(*found.shape)].mean())


def _slower_of_equal(field: Field, draws: int, gap: float = 0.0) -> ndarray:
    """Mask of the columns found slower where one in turn is, by the gap: experiments x columns."""
    import numpy

    if not field.usable:
        return numpy.zeros((draws, 1), dtype=bool)
    shape = (draws, len(field.means), field.rounds)
    logs = field.scatter[:, None] ** 0.5 * numpy.random.default_rng(1).normal(size=shape)
    logs[_each_in_turn(*shape[:2])] += math.log1p(gap)
    sums, squares = field.sums(logs)
    rounds = [field.rounds] * len(field.pairs)
    _, behind = field.p_values(rounds, sums, squares)
    return _shown_slower(behind)


def _each_in_turn(experiments: int, columns: int) -> tuple[list[int], list[int]]:
    """Indices of one column of every experiment."""
    return [*range(experiments)], [number % columns for number in range(experiments)]


def _further(field: Field, draws: int) -> tuple[Callable[[int], float], int]:
    """Experiments that go on where a field stands: the share of them in which every column has its
    place after so many further rounds; and how many further ones there are.
    """
    import numpy

    generator = numpy.random.default_rng(1)
    so_far, errors = numpy.array([*field.means.values()]), field.scatter / field.rounds
    freedom = (len(so_far) - 1) * (field.rounds - 1)
    spread = (freedom / generator.chisquare(freedom, draws))[:, None]
    share, equal = _left_open(so_far, errors)
    kept = share * (numpy.arange(draws) >= draws * equal)[:, None]
    luck = numpy.sqrt(kept * errors * spread) * generator.normal(size=kept.shape)
    true = kept * (so_far - so_far.mean()) + luck
    have = [len(logs) for logs in field.logs]
    most = max(0, MOST_ROUNDS - max(have))
    noise = numpy.sqrt(field.scatter * spread)[..., None]
    further = true[..., None] + noise * generator.normal(size=(*kept.shape, most))
    sums = numpy.array([[sum(logs)] for logs in field.logs])
    squares = numpy.array([[sum(log**2 for log in logs)] for logs in field.logs])

    def placed(more: int) -> float:
        added, added_squares = field.sums(further[..., :more])
        rounds = [number + more for number in have]
        return _placed(field.p_values(rounds, sums + added, squares + added_squares))

    return placed, most


def _likely(variance: float, degrees_of_freedom: int, moderate: Moderate) -> float:
    """A variance weighed with what is borrowed, also where that is less: a table's variances
    are never drawn down, which would make a forecast too long.
    """
    borrowed, freedom = moderate(0.0, degrees_of_freedom)
    return variance * degrees_of_freedom / freedom + borrowed


def _left_open(means: ndarray, errors: ndarray) -> tuple[ndarray, float]:
    """The share of each column's distance from the others that is not its own scatter, by the
    squared standard errors of the means; and the probability that all are equal, before a half: by
    the likelihood of their distance, against that of the scale that fits it best.
    """
    weights, others = 1 / (errors + 1e-30), len(means) - 1
    distance = float(weights @ (means - weights @ means / weights.sum()) ** 2)
    room = float(weights.sum() - weights @ weights / weights.sum())
    between = max(0.0, distance - others) / (room + 1e-300)
    scale = max(distance / others, 1.0)
    equal = 1 / (1 + math.exp(min(others * (scale - 1 - math.log(scale)) / 2, 700)))
    return between / (between + errors + 1e-30), equal


def _shown_slower(behind: ndarray) -> ndarray:
    """Mask by Holm's procedure, from p-values against the fastest: experiments x columns."""
    import numpy

    columns = behind.shape[1]
    order = behind.argsort(axis=1)
    levels = TAIL / numpy.maximum(columns - 1 - numpy.arange(columns), 1)
    held = numpy.logical_and.accumulate(numpy.take_along_axis(behind, order, 1) <= levels, axis=1)
    return numpy.take_along_axis(held, order.argsort(axis=1), 1)


def _placed(p_values: tuple[ndarray, ndarray]) -> float:
    """Share of experiments in which every column is significantly slower, or best or equal."""
    of_pairs, behind = p_values
    slower = _shown_slower(behind)
    equal = (of_pairs >= 1 - TAIL) | slower[:, None, :]
    return float((slower | equal.all(axis=2)).all(axis=1).mean())
