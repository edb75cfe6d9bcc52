"""Where each framework stands in its row, and the best set: all that are not significantly slower.

Each framework is tested against the fastest, one-sided: is it slower by more than the margin of
2 %? For two frameworks that is the 95 % interval beyond the margin, verdict SLOWER. For more of
them Holm's procedure keeps the chance of putting out any that should stay at 2.5 %: with r left to
be tested, the one with the smallest p is out when that is at most 2.5 % / r; then r is one less.
A statement over several rows takes the comparisons of all of them into one such procedure.

Not to be significantly slower is no merit, so the best set has two parts. Best or equal is one
whose rivals cannot be more than 2 % faster: the interval of its time over that of every other
framework of the best set ends at 1.02 or below. The others are undecided. Fewer than two rounds
shared with the fastest are no comparison: such a framework is neither.

Holm takes the fastest as named in advance, but it is chosen from the same data: its luck is part of
every comparison. The margin absorbs that as long as runs scatter by no more than a few per cent.
`benchmarks/simulations.py` counts how often one of six equal frameworks is put out: practically
never at a scatter of 0.7 % between runs, in less than 5 % of tables at 7 %, in 6 to 7 % at 20 %
(where a caveat warns of wide intervals). Holm over every ordered pair of frameworks would be safe
at any scatter, but leaves one that is 10 % slower in half of the best sets of three runs.
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.intervals import (
    CONFIDENCE,
    MARGIN,
    MIN_RUNS,
    Moderate,
    Ratio,
    Runs,
    as_measured,
    paired_logs,
    paired_ratio,
)

Name = TypeVar("Name", bound=Hashable)


class Standing(StrEnum):
    """What the runs of a row show about one of its frameworks."""

    BEST = "best or equal"
    UNDECIDED = "undecided"
    SLOWER = "significantly slower"
    NOT_COMPARED = "not compared"


def plainly(name: str, base: str) -> Moderate:
    """Moderate nothing: every pair of frameworks is judged by its own scatter alone."""
    return as_measured


@dataclass(frozen=True)
class Contest:
    """The steady frameworks of a row by name. `moderate` says of two names how the variance of
    their ratio is moderated.
    """

    row: Mapping[str, Runs]
    moderate: Callable[[str, str], Moderate] = plainly
    correlation: float = 0.0  # of the log ratios of one start

    @cached_property
    def fastest(self) -> str | None:
        """The one with the lowest mean, as if all had every round, among those that have at least
        two runs; None where it has no rival.
        """
        measured = {name: runs for name, runs in self.row.items() if len(runs) >= MIN_RUNS}
        means = adjusted_logs(measured)
        return min(means, key=means.__getitem__) if len(means) > 1 else None

    @cached_property
    def p_values(self) -> dict[str, float]:
        """One-sided p of not being slower than the fastest, for every other one that was compared
        with it.
        """
        if self.fastest is None:
            return {}
        ratios = {name: self.ratio(name, self.fastest) for name in self.row if name != self.fastest}
        return {
            name: p_slower(ratio)
            for name, ratio in ratios.items()
            if ratio and ratio.error is not None
        }

    def standings(self, slower: Collection[str] | None = None) -> dict[str, Standing]:
        """The standing of every name. `slower` are those that are significantly slower, by default
        after the correction for this row alone.
        """
        out = shown_slower(self.p_values) if slower is None else slower
        compared = {self.fastest, *self.p_values} if self.p_values else set()
        rivals = compared - set(out)
        return {name: self._standing(name, name in compared, rivals) for name in self.row}

    def _standing(self, name: str, compared: bool, rivals: set[str]) -> Standing:
        if not compared:
            return Standing.NOT_COMPARED
        if name not in rivals:
            return Standing.SLOWER
        beaten = all(_at_most_equal(self.ratio(name, rival)) for rival in rivals - {name})
        return Standing.BEST if beaten else Standing.UNDECIDED

    def ratio(self, name: str, base: str) -> Ratio | None:
        """The ratio of the times of two names."""
        moderate = self.moderate(name, base)
        return paired_ratio(self.row[name], self.row[base], moderate, self.correlation)

    def logs(self, name: str, base: str) -> list[float]:
        """Paired log ratios of two names, by round."""
        return paired_logs(self.row[name], self.row[base], self.correlation)


def _at_most_equal(ratio: Ratio | None) -> bool:
    """True if the first is shown to take at most 2 % more time."""
    return bool(ratio and ratio.interval) and ratio.interval.high <= 1 + MARGIN


def best_set(row: Mapping[str, Runs]) -> frozenset[str]:
    """The compared names of a row that are not significantly slower, by their own scatter alone."""
    return not_slower(Contest(row).standings())


def not_slower(standings: Mapping[str, Standing]) -> frozenset[str]:
    """The best set: best or equal, and undecided."""
    kept = (Standing.BEST, Standing.UNDECIDED)
    return frozenset(name for name, standing in standings.items() if standing in kept)


def p_slower(ratio: Ratio, margin: float = MARGIN) -> float:
    """One-sided p of a ratio of times, over two rounds at least, that is at most 1 + margin."""
    excess = ratio.log - math.log1p(margin)
    if ratio.error == 0:
        return 0.0 if excess > 0 else 1.0
    from scipy.special import stdtr  # here, because importing it takes longer than most commands

    return float(stdtr(ratio.degrees_of_freedom, -excess / ratio.error))


def shown_slower(p_values: Mapping[Name, float]) -> set[Name]:
    """Those significantly slower than the fastest of their row, by Holm's procedure over all."""
    slower: set[Name] = set()
    for name in sorted(p_values, key=p_values.__getitem__):
        if p_values[name] > (1 - CONFIDENCE) / 2 / (len(p_values) - len(slower)):
            break
        slower.add(name)
    return slower


def shown_slower_of(contests: Sequence[Contest]) -> list[set[str]]:
    """The names significantly slower in each of several rows, by a single procedure over rows and
    names: what a statement about the whole table rests on.
    """
    p_values = {
        (place, name): p for place, row in enumerate(contests) for name, p in row.p_values.items()
    }
    slower = shown_slower(p_values)
    return [
        {name for name in row.p_values if (place, name) in slower}
        for place, row in enumerate(contests)
    ]
