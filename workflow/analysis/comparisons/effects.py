"""What one thing changes: every pair of columns that differ in nothing else, row by row.

All ratios are t(base) / t(new), paired by round; above 1 the new column is faster. A verdict is
that of its row alone; a statement about a whole effect is corrected for all of its rows and pairs
(Holm).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from analysis.comparisons.cards import other_differences, versions_changed
from analysis.comparisons.gains import Gain, gain_of, of_new
from analysis.comparisons.questions import Pair, Question, questions
from analysis.results.cells import Cell, moderate_ratio, paired_contest
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import p_slower, shown_slower
from analysis.statistics.forecast import rounds_to_place
from analysis.statistics.intervals import (
    MIN_RUNS,
    Verdict,
    paired_logs,
    verdict,
)
from analysis.statistics.mean_ratio import MeanRatio, mean_ratio


@dataclass(frozen=True, eq=False)  # a comparison is itself: it serves as a key
class Comparison:
    """A pair in one row of the table; `gain` is None without a round that both measured."""

    row: RowCells
    base: Cell
    new: Cell
    gain: Gain | None

    @property
    def missing(self) -> str:
        """Why there is no ratio: 'Keras 2 (TensorFlow) oom: killed'; empty where there is one."""
        if self.gain:
            return ""
        cells = (self.base, self.new)
        reasons = [f"{c.column.title} {c.status}: {c.reason}" for c in cells if not c.ok_runs]
        reasons += [
            f"{c.column.title} is not compared: {c.tells_nothing}"
            for c in cells
            if c.ok_runs and c.tells_nothing
        ]
        return "; ".join(reasons) or "no round that both measured"

    @cached_property
    def versions(self) -> list[str]:
        """The libraries' versions, where these are what the columns differ in; empty without a
        ratio.
        """
        return versions_changed(self.base, self.new) if self.gain else []

    @cached_property
    def differences(self) -> list[str]:
        """What else was not the same; empty without a ratio."""
        return other_differences(self.base, self.new) if self.gain else []

    @cached_property
    def rounds_needed(self) -> int | None:
        """After how many rounds in all an undecided ratio would as likely as not be decided; None
        where no sensible number would do, where it is decided, and where two rounds are missing.
        """
        if not self.undecided:
            return None
        names = (self.base.column.name, self.new.column.name)
        more = rounds_to_place(paired_contest(self.base, self.new), names)
        return more and self.gain.ratio.rounds + more

    @property
    def undecided(self) -> bool:
        """Whether there is an interval, and it does not decide."""
        return bool(self.gain and self.gain.interval) and self.gain.verdict is Verdict.AMBIGUOUS

    @cached_property
    def p_values(self) -> dict[Verdict, float]:
        """One-sided, of not being faster and of not being slower by more than the margin; empty
        without two rounds.
        """
        if len(self._logs) < MIN_RUNS:
            return {}
        moderate = moderate_ratio(self.base, self.new)
        return {
            Verdict.FASTER: p_slower(self._logs, moderate=moderate),
            Verdict.SLOWER: p_slower([-log for log in self._logs], moderate=moderate),
        }

    @cached_property
    def _logs(self) -> list[float]:
        return paired_logs(self.base.compared_ms, self.new.compared_ms)


@dataclass(frozen=True)
class PairEffect:
    """A pair over the rows of the table, and the geometric mean of those that have a ratio."""

    pair: Pair
    comparisons: tuple[Comparison, ...]

    @property
    def gains(self) -> list[Gain]:
        return [found.gain for found in self.comparisons if found.gain]

    @cached_property
    def mean(self) -> MeanRatio | None:
        """None without any ratio; its `missing` are the labels of rows without one."""
        return mean_ratio(
            {
                found.row.row.label: (found.base.compared_ms, found.new.compared_ms)
                for found in self.comparisons
            }
        )

    @property
    def mean_verdict(self) -> Verdict:
        """Of the new column, over the rows that the mean has."""
        return of_new(verdict(self.mean.interval if self.mean else None))


@dataclass(frozen=True)
class Effect:
    """A question, and what every pair that answers it shows."""

    question: Question
    pairs: tuple[PairEffect, ...]

    @property
    def comparisons(self) -> list[Comparison]:
        """Of all pairs, in their order."""
        return [found for pair in self.pairs for found in pair.comparisons]

    @cached_property
    def shown(self) -> dict[Comparison, Verdict]:
        """Faster or slower, where that holds for all rows and pairs of this effect at once.

        The smaller of the two one-sided p counts, so that Holm's levels are those of two-sided
        tests at 5 %.
        """
        directions = {
            found: min(found.p_values, key=found.p_values.__getitem__)
            for found in self.comparisons
            if found.p_values
        }
        held = shown_slower(
            {found: found.p_values[direction] for found, direction in directions.items()}
        )
        return {found: direction for found, direction in directions.items() if found in held}


def effects_of(results: Results) -> list[Effect]:
    """One per question that the columns of the plan answer."""
    return [
        Effect(question, tuple(_pair_effect(results, pair) for pair in question.pairs))
        for question in questions(results.plan.columns)
    ]


def _pair_effect(results: Results, pair: Pair) -> PairEffect:
    return PairEffect(pair, tuple(_comparison(row, pair) for row in results.rows))


def _comparison(row: RowCells, pair: Pair) -> Comparison:
    cells = {cell.column.name: cell for cell in row.cells}
    base, new = cells[pair.base.name], cells[pair.new.name]
    return Comparison(row, base, new, gain_of(row, new, base))
