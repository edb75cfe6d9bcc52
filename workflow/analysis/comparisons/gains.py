"""Comparisons that both findings and claims rest on: one column or family against another, row by
row, paired by round.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pandas as pd

from analysis.formats.spelling import within
from analysis.formats.text import count, listed, percent
from analysis.results.cells import Cell, cell_ratio, contest, paired_contest
from analysis.results.plan import Row
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, not_slower, shown_slower_of
from analysis.statistics.families import family_interval, luck_of_choice
from analysis.statistics.intervals import Interval, Ratio, Verdict, above, ends, verdict

WORTH_TELLING = 0.005  # of what choosing added to a factor, less is not told
LARGE = 10.0  # as a factor, beyond which per cent are hard to read
FAMILIES = {"keras2": "Keras 2", "keras3": "Keras 3", "pytorch": "plain PyTorch"}
VERDICT_TEXT = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.SAME: "the same within 2\u00a0%",
    Verdict.AMBIGUOUS: "not decided",
}


@dataclass(frozen=True)
class Gain:
    """Throughput gain of one cell over another of its row, t_base / t_new. Either may be the
    fastest of several that were compared, chosen by the same runs.
    """

    new: Cell
    base: Cell
    ratio: Ratio
    of_new: tuple[Cell, ...]
    of_base: tuple[Cell, ...]

    @property
    def row(self) -> Row:
        return self.new.row

    @property
    def value(self) -> float:
        return self.ratio.value

    @property
    def verdict(self) -> Verdict:
        """FASTER when the new cell is; as everywhere, beyond 2 % and by the interval."""
        return of_new(verdict(self.interval))

    @cached_property
    def interval(self) -> Interval | None:
        return self.together(1)

    def together(self, statements: int) -> Interval | None:
        """The interval, so wide that those of so many statements hold all at once."""
        news, bases = ([cell.column.name for cell in of] for of in (self.of_new, self.of_base))
        held = paired_contest(*self.of_new, *self.of_base)
        return family_interval(held, news, bases, statements)

    @cached_property
    def luck(self) -> float:
        """What choosing the fastest adds, as a factor: `value` over what it is where no round has a
        part in the choice that it is judged by. 1 where nothing was chosen, or too few rounds tell.
        """
        new, base = (
            [{at: math.log(time) for at, time in cell.compared_ms.items()} for cell in cells]
            for cells in (self.of_new, self.of_base)
        )
        return luck_of_choice(new, base)

    @property
    def without_luck(self) -> float | None:
        """The value without what choosing adds; None where it adds nothing worth telling."""
        return self.value / self.luck if self.luck >= 1 + WORTH_TELLING else None

    @property
    def text(self) -> str:
        """The gain as text, with what is left of it without the luck of choosing the fastest."""
        text = gain_text(self.value, *ends(self.interval))
        if self.interval is None or self.without_luck is None:
            return text
        left = gain_text(self.without_luck)
        return f"{text} ({left} without the luck of choosing the fastest by these runs)"


def of_new(verdict_of_base: Verdict) -> Verdict:
    """The verdict on the new one that follows from a verdict on t_base / t_new."""
    turned = {Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER}
    return turned.get(verdict_of_base, verdict_of_base)


def gain_text(ratio: float, low: float | None = None, high: float | None = None) -> str:
    """A gain and its interval as text: '+42 % [+40 %, +44 %]'; as factors where it is large."""
    return within(ratio, low, high, factor if ratio >= LARGE else change)


def change(ratio: float) -> str:
    """A throughput gain as the page prints it: t_old / t_new - 1."""
    return percent(ratio - 1, signed=True)


def factor(ratio: float) -> str:
    """A throughput gain as a factor."""
    return f"{ratio:,.{0 if ratio >= 100 else 1}f}\u00d7"


def gain_of(new: Sequence[Cell], base: Sequence[Cell]) -> Gain | None:
    """The fastest of some cells of a row over the fastest of others; None where there are none, or
    no round that both measured.
    """
    if not new or not base:
        return None
    first, second = (min(cells, key=lambda cell: cell.step_ms) for cells in (new, base))
    ratio = cell_ratio(second, first)
    return Gain(first, second, ratio, tuple(new), tuple(base)) if ratio else None


@lru_cache(maxsize=32)
def gains(results: Results, new: str, base: str) -> list[Gain]:
    """The gains of one family or column over another, in every row with both; a family is
    represented by its fastest plain column.
    """
    found = [gain_of(entrants(row, new), entrants(row, base)) for row in results.rows]
    return [gain for gain in found if gain]


def entrants(row: RowCells, name: str) -> tuple[Cell, ...]:
    """The cells of a row that may stand for a family, or for a column."""
    if name in FAMILIES:
        return row.family(name)
    return tuple(cell for cell in row.measured if cell.column.name == name)


def numbers(gains: Sequence[Gain]) -> dict[str, Any]:
    """The gain and the verdict of each row, as evidence."""
    rows = ["/".join(map(str, gain.row.key)) for gain in gains]
    return {
        "gain": {row: gain.value - 1 for row, gain in zip(rows, gains, strict=True)},
        "verdicts": {row: str(gain.verdict) for row, gain in zip(rows, gains, strict=True)},
    }


def tally_of(gains: Sequence[Gain]) -> str:
    """The tally of such gains."""
    lines = [(gain.value, str(gain.verdict) if gain.interval else None) for gain in gains]
    return tally(pd.DataFrame(lines, columns=["speedup", "verdict"]))


def tally(found: pd.DataFrame) -> str:
    """A text such as 'faster in 4, slower in 1 and not decided in 1 of 6 rows', from `speedup` and
    `verdict`, which is None without an interval; for single runs by the means.
    """
    rows = count(len(found), "row")
    if found["verdict"].isna().all():
        faster = (found["speedup"] > 1).sum()
        return f"faster by the means in {faster} of {rows}, without an interval"
    numbers = found["verdict"].fillna(str(Verdict.AMBIGUOUS)).value_counts()
    parts = [f"{text} in {numbers[v]}" for v, text in VERDICT_TEXT.items() if v in numbers]
    return f"{listed(parts)} of {rows}"


def in_every_row(gains: Sequence[Gain], limit: float) -> bool | None:
    """Say if each of some rows gains at least so much. True needs every row. One is enough for
    False, but among many chance makes one, so its interval has to hold for all rows at once.
    """
    if all(above(gain.interval, limit) for gain in gains):
        return True
    refuted = (above(gain.together(len(gains)), limit) is False for gain in gains)
    return False if any(refuted) else None


BACKEND = ["row", "label", "column", "title", "step_ms", "standing", "first", "behind", "alone"]


def backends(results: Results) -> pd.DataFrame:
    """Return a line per plain backend of Keras 3 in each row that compares two at least.

    `first`: fastest by the mean; `behind`: significantly slower than another one; `alone`: every
    other one is behind. The verdicts are corrected over rows and backends, as a whole table needs.
    """
    rows = [cells for row in results.rows if len(cells := row.family("keras3")) > 1]
    contests = [contest(cells) for cells in rows]
    lines = []
    for cells, held, slower in zip(rows, contests, shown_slower_of(contests), strict=True):
        standings = held.standings(slower)
        fastest = min(cells, key=lambda cell: cell.step_ms)
        behind = {name for name, standing in standings.items() if standing is Standing.SLOWER}
        alone = not_slower(standings) if len(behind) == len(cells) - 1 else ()
        for cell in cells:
            name, of_row = cell.column.name, (cell.row.key, cell.row.label)
            line = (*of_row, name, cell.column.title, cell.step_ms, str(standings[name]))
            lines.append((*line, cell is fastest, name in behind, name in alone))
    return pd.DataFrame(lines, columns=BACKEND).astype(dict.fromkeys(BACKEND[-3:], bool))
