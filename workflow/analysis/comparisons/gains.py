"""Comparisons that both findings and claims rest on: one column or family against another, row by
row, paired by round.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.formats.text import count, gain, listed
from analysis.results.cells import Cell, cell_ratio, contest
from analysis.results.plan import Row
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, not_slower, shown_slower_of
from analysis.statistics.families import family_interval, luck_of_choice
from analysis.statistics.intervals import Interval, Ratio, Verdict, together, verdict

VERDICT_TEXT = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.SAME: "the same within 2\u00a0%",
    Verdict.AMBIGUOUS: "not decided",
}


@dataclass(frozen=True)
class Gain:
    """Throughput gain of one cell over another of its row: t_base / t_new."""

    new: Cell
    base: Cell
    ratio: Ratio

    @property
    def row(self) -> Row:
        return self.new.row

    @property
    def told(self) -> str:
        """What else is to be said of the factor; empty where nothing is."""
        return ""

    @property
    def verdict(self) -> Verdict:
        """FASTER when the new one is; as everywhere, beyond 2 % and by the interval."""
        return of_new(verdict(self.interval))

    @property
    def interval(self) -> Interval | None:
        return self.together(1)

    def together(self, statements: int) -> Interval | None:
        """The interval, so wide that those of so many statements hold all at once."""
        return together(self.ratio, statements)

    @property
    def text(self) -> str:
        return gain_text(self.ratio.value, self.interval) + self.told


@dataclass(frozen=True)
class FamilyGain(Gain):
    """The gain of the fastest column of one family over the fastest of another, both chosen by the
    same runs, among as many as were compared.
    """

    of_new: tuple[Cell, ...]
    of_base: tuple[Cell, ...]

    def together(self, statements: int) -> Interval | None:
        return family_interval(self._ratios, statements)

    @cached_property
    def luck(self) -> float:
        """The factor over what it is where every round is left out of the choice that it is judged
        by: what having chosen adds to it. 1 where nothing was chosen, or is told of it.
        """
        return luck_of_choice(_run_logs(self.of_new), _run_logs(self.of_base))

    @property
    def told(self) -> str:
        if len(self._ratios) * len(self._ratios[0]) == 1 or self.interval is None:
            return ""
        return f" (of which choosing the fastest by these runs adds {change(self.luck)})"

    @cached_property
    def _ratios(self) -> list[list[Ratio | None]]:
        return [[cell_ratio(base, new) for base in self.of_base] for new in self.of_new]


def _run_logs(cells: tuple[Cell, ...]) -> list[dict[Hashable, float]]:
    return [{at: math.log(time) for at, time in cell.compared_ms.items()} for cell in cells]


def of_new(verdict_of_base: Verdict) -> Verdict:
    """The verdict on the new one that follows from a verdict on t_base / t_new."""
    turned = {Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER}
    return turned.get(verdict_of_base, verdict_of_base)


def gain_text(ratio: float, interval: Interval | None) -> str:
    """'+42 % [+40 %, +44 %]'."""
    ends = f" [{change(interval.low)}, {change(interval.high)}]" if interval else ""
    return change(ratio) + ends


def change(ratio: float) -> str:
    """A throughput gain, with a decimal where it is small."""
    return gain(ratio) if abs(ratio - 1) >= 0.0995 else f"{100 * (ratio - 1):+.1f}\u00a0%"


def gain_of(new: Cell | None, base: Cell | None) -> Gain | None:
    """None when one of them, or a round with both, is missing."""
    ratio = cell_ratio(base, new) if new and base else None
    return Gain(new, base, ratio) if ratio else None


def cell_of(row: RowCells, column: str) -> Cell | None:
    """The cell of a column, if it was measured."""
    return next((cell for cell in row.measured if cell.column.name == column), None)


def family_gains(results: Results, new: str, base: str) -> list[Gain]:
    """The fastest plain column of one family over that of another, in every row with both."""
    found = [family_gain_of(row, new, base) for row in results.rows]
    return [gain for gain in found if gain]


def family_gain_of(row: RowCells, new: str, base: str) -> FamilyGain | None:
    """None when a family, or a round with both, is missing."""
    found = gain_of(row.fastest(new), row.fastest(base))
    if found is None:
        return None
    return FamilyGain(found.new, found.base, found.ratio, row.family(new), row.family(base))


def column_gains(results: Results, new: str, base: str) -> list[Gain]:
    """One column over another, in every row with both."""
    found = [gain_of(cell_of(row, new), cell_of(row, base)) for row in results.rows]
    return [gain for gain in found if gain]


def in_lines(gains: Sequence[Gain]) -> pd.DataFrame:
    """Return `speedup` and `verdict` of each, the verdict None without an interval."""
    lines = [(gain.ratio.value, str(gain.verdict) if gain.interval else None) for gain in gains]
    return pd.DataFrame(lines, columns=["speedup", "verdict"])


def tally(found: pd.DataFrame) -> str:
    """'faster in 4, slower in 1 and not decided in 1 of 6 rows'; of single runs the means."""
    rows = count(len(found), "row")
    if found["verdict"].isna().all():
        faster = (found["speedup"] > 1).sum()
        return f"faster by the mean of one run in {faster} of {rows}, which shows nothing yet"
    numbers = found["verdict"].fillna(str(Verdict.AMBIGUOUS)).value_counts()
    parts = [f"{text} in {numbers[v]}" for v, text in VERDICT_TEXT.items() if v in numbers]
    return f"{listed(parts)} of {rows}"


def all_faster(gains: list[Gain]) -> bool | None:
    """Whether the new one is faster in each of some rows; None where the intervals do not decide.

    True needs every row. One row is enough for False, and with many rows chance makes one: so its
    interval has to be one of those that hold for all rows at once.
    """
    if all(gain.verdict is Verdict.FASTER for gain in gains):
        return True
    of_base = {verdict(gain.together(len(gains))) for gain in gains}
    return False if {Verdict.FASTER, Verdict.SAME} & of_base else None


@dataclass(frozen=True)
class Winners:
    """Of a row with at least two backends of Keras 3, as plain columns: the fastest by number, and
    where the intervals put each. Shown slower holds for all rows together, as statements about a
    whole table need it.
    """

    row: RowCells
    fastest: Cell
    backends: tuple[Cell, ...]
    standings: dict[str, Standing]

    @property
    def best(self) -> frozenset[str]:
        """Names of those that were compared and are not shown slower; empty with a single run."""
        return not_slower(self.standings)

    def is_behind(self, name: str) -> bool:
        """Whether this backend is shown slower than another one."""
        return self.standings.get(name) is Standing.SLOWER

    def is_alone(self, name: str) -> bool:
        """Whether every other backend is shown slower; one that was not compared is not."""
        others = {cell.column.name for cell in self.backends} - {name}
        return name in self.best and all(map(self.is_behind, others))


def winners(results: Results) -> list[Winners]:
    """The contest of Keras 3's backends, row by row, corrected over rows and backends."""
    fields = [(row, backends) for row in results.rows if len(backends := _backends(row)) > 1]
    contests = [contest(backends) for _, backends in fields]
    slower = shown_slower_of(contests)
    return [
        Winners(row, row.fastest("keras3"), backends, held.standings(out))
        for (row, backends), held, out in zip(fields, contests, slower, strict=True)
    ]


def _backends(row: RowCells) -> tuple[Cell, ...]:
    return tuple(c for c in row.plain if c.column.family == "keras3" and c.comparable)
