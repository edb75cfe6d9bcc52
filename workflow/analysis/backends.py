"""Comparisons that both findings and claims rest on: one column or family against another, row by
row, paired by round.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.best_set import best_set
from analysis.cells import Cell, Results, RowCells
from analysis.statistics import MIN_RUNS, Interval, Ratio, Verdict, paired_ratio
from analysis.text import count, gain, listed

WORDS = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.SAME: "the same within 2\u00a0%",
    Verdict.AMBIGUOUS: "not told apart",
}


@dataclass(frozen=True)
class Gain:
    """Throughput gain of one cell over another of its row: t_base / t_new."""

    row: RowCells
    new: Cell
    base: Cell
    ratio: Ratio

    @property
    def verdict(self) -> Verdict:
        """FASTER when the new one is; as everywhere, beyond 2 % and by the interval."""
        turned = {Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER}
        return turned.get(self.ratio.verdict, self.ratio.verdict)

    @property
    def interval(self) -> Interval | None:
        return self.ratio.interval

    @property
    def words(self) -> str:
        """'+42 % [+40 %, +44 %]'."""
        ends = self.interval
        interval = f" [{change(ends.low)}, {change(ends.high)}]" if ends else ""
        return change(self.ratio.value) + interval


def change(ratio: float) -> str:
    """A throughput gain, with a decimal where it is small."""
    return gain(ratio) if abs(ratio - 1) >= 0.0995 else f"{100 * (ratio - 1):+.1f}\u00a0%"


def gain_of(row: RowCells, new: Cell | None, base: Cell | None) -> Gain | None:
    """None when one of them, or a round with both, is missing."""
    ratio = paired_ratio(base.run_ms, new.run_ms) if new and base else None
    return Gain(row, new, base, ratio) if ratio else None


def column(row: RowCells, framework: str) -> Cell | None:
    """The cell of a column, if it was measured."""
    return next((cell for cell in row.measured if cell.framework.name == framework), None)


def family_gains(results: Results, new: str, base: str) -> list[Gain]:
    """The fastest column of one family over the fastest of another, in every row with both."""
    found = [gain_of(row, row.fastest(new), row.fastest(base)) for row in results.rows]
    return [gain for gain in found if gain]


def column_gains(results: Results, new: str, base: str) -> list[Gain]:
    """One column over another, in every row with both."""
    found = [gain_of(row, column(row, new), column(row, base)) for row in results.rows]
    return [gain for gain in found if gain]


def tally(gains: list[Gain]) -> str:
    """'faster in 4, slower in 1 and not told apart in 1 of 6 rows'; of single runs the means."""
    rows = count(len(gains), "row")
    if not any(gain.interval for gain in gains):
        faster = sum(gain.ratio.value > 1 for gain in gains)
        return f"faster by the mean of one run in {faster} of {rows}, which shows nothing yet"
    words = [WORDS[gain.verdict] for gain in gains]
    parts = [f"{word} in {words.count(word)}" for word in WORDS.values() if word in words]
    return f"{listed(parts)} of {rows}"


@dataclass(frozen=True)
class Winners:
    """Of a row with at least two backends of Keras 3: the fastest by number, and those that the
    intervals do not put behind it (empty with a single run).
    """

    row: RowCells
    fastest: Cell
    backends: tuple[Cell, ...]
    best: frozenset[str]

    def is_behind(self, name: str) -> bool:
        """Whether this backend is shown slower than another one."""
        tested = [c for c in self.backends if c.framework.name == name and c.steady]
        return bool(self.best and tested and len(tested[0].ok_runs) >= MIN_RUNS) and (
            name not in self.best
        )


def winners(results: Results) -> list[Winners]:
    """The contest of Keras 3's backends, row by row."""
    found = []
    for row in results.rows:
        backends = tuple(cell for cell in row.measured if cell.framework.family == "keras3")
        if len(backends) > 1:
            runs = {cell.framework.name: cell.run_ms for cell in backends if cell.steady}
            found.append(Winners(row, row.fastest("keras3"), backends, best_set(runs)))
    return found
