"""Verdicts of a patch against its base, and how small a difference they could have shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pandas as pd

from analysis.comparisons.pairs import pairs
from analysis.comparisons.rounds import seconds_of_a_round
from analysis.data import Data
from analysis.formats.errors import InputError
from analysis.results.cells import Cell, cell_ratio
from analysis.statistics.intervals import Interval, Ratio, Verdict, t_quantile, verdict

POWER = 0.8  # the share of such runs that would show the smallest difference


class Status(IntEnum):
    """The exit status of an answer."""

    FINE = 0  # no row is significantly slower, every row is decided
    SLOWER = 1  # a row is significantly slower by more than the threshold, or is broken
    UNDECIDED = 3


@dataclass(frozen=True)
class RowAnswer:
    """A row: the time of the patch over that of the base, above 1 where the patch is slower.

    `interval` is one of `statements` that hold at once; `smallest` the slow-down that POWER of such
    runs would have shown, as a ratio; None below two rounds. `missing` says why there is no ratio.
    """

    base: Cell
    new: Cell
    ratio: Ratio | None
    threshold: float
    statements: int
    missing: str

    @property
    def interval(self) -> Interval | None:
        return self.ratio and self.ratio.together(self.statements)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the patch: slower or faster by more than the threshold."""
        return verdict(self.interval, self.threshold)

    @property
    def runs(self) -> bool:
        """True if both have a time, whether or not anything may be concluded from it yet."""
        return bool(self.base.ok_runs and self.new.ok_runs)

    @property
    def decided(self) -> bool:
        """True if further rounds would change nothing, also because a column does not run."""
        return not self.runs or self.verdict is not Verdict.AMBIGUOUS

    @property
    def broken(self) -> bool:
        """True if the base runs and the patch does not."""
        return bool(self.base.ok_runs) and not self.new.ok_runs

    @property
    def smallest(self) -> float | None:
        if self.ratio is None or self.ratio.error is None:
            return None
        return smallest_shown(self.ratio, self.threshold, self.statements)


def smallest_shown(ratio: Ratio, threshold: float, statements: int) -> float:
    """The smallest ratio that runs with this scatter call slower, with probability POWER."""
    from scipy.special import stdtrit

    freedom = ratio.degrees_of_freedom
    reach = t_quantile(freedom, statements) + float(stdtrit(freedom, POWER))
    return math.exp(math.log1p(threshold) + reach * ratio.error)


@dataclass(frozen=True)
class Answer:
    """The answers of all rows; `looks` is how often the question may be asked."""

    rows: tuple[RowAnswer, ...]
    threshold: float
    looks: int

    @property
    def decided(self) -> bool:
        return all(row.decided for row in self.rows)

    @property
    def status(self) -> Status:
        if any(row.verdict is Verdict.SLOWER or row.broken for row in self.rows):
            return Status.SLOWER
        shown = any(row.ratio for row in self.rows)
        return Status.FINE if shown and self.decided else Status.UNDECIDED

    def of(self, shown: Verdict) -> list[RowAnswer]:
        return [row for row in self.rows if row.runs and row.verdict is shown]


def answer(data: Data, threshold: float, looks: int) -> Answer:
    """The verdicts so far; raises InputError unless the plan has just one pair of columns."""
    found = pairs(data)
    if len(data.results.plan.columns) != 2 or len(found) != len(data.results.rows):
        names = [column.name for column in data.results.plan.columns]
        raise InputError(
            f"columns: {', '.join(names)}: an answer takes two columns of one framework that "
            "differ in their overlay alone"
        )
    statements = looks * len(found)
    rows = tuple(_row(line, threshold, statements) for line in found.itertuples())
    return Answer(rows, threshold, looks)


def _row(line: Any, threshold: float, statements: int) -> RowAnswer:
    base, new = line.base_cell, line.new_cell
    missing = "" if pd.isna(line.missing) else str(line.missing)
    return RowAnswer(base, new, cell_ratio(new, base), threshold, statements, missing)


def seconds(data: Data) -> dict[str, float]:
    """Seconds that one more round of each row takes, by 'model/task/batch size'."""
    rows = data.results.rows
    return {"/".join(map(str, row.row.key)): seconds_of_a_round(row) for row in rows}
