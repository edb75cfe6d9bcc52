"""Why is it slower? For every row what each column's step has more than that of the fastest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.comparisons.operation_groups import Group
from analysis.comparisons.why import Spread, Why, against_fastest, mean_parts
from analysis.formats.text import NA, count, ms, percent, times
from analysis.report.grid import Grid
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import MARGIN
from contract.table_text import decimals

HEADER = ("Column", "ms/step", "More than the fastest", "Nothing computes")
HEADER += ("Same operations, slower", "Other operations", "Under the profiler", "Launched per step")
GROUP_HEADER = tuple(str(group).capitalize() for group in Group)
PARTS = (
    ("idle", "time in which nothing computes"),
    ("same", "the same operations being slower"),
    ("other", "other operations"),
)


@dataclass(frozen=True)
class WhyView:
    """A row: in one line, then a sentence for every other column, and the numbers."""

    title: str
    summary: str
    sentences: tuple[str, ...]
    table: Grid


def why_views(results: Results) -> list[WhyView]:
    """Of the rows in which there is something to compare."""
    return [
        _view(row, cells, found)
        for row in results.rows
        for cells in row.contestants
        if (found := against_fastest(row, cells))
    ]


def _view(row: RowCells, cells: Sequence[Cell], found: list[Why]) -> WhyView:
    fastest = found[0].fastest
    among = " on its library versions" if len(row.contestants) > 1 else ""
    title = f"{row.row.title}, batch {row.row.batch_size}"
    return WhyView(
        title,
        f"{fastest.column.title} is the fastest{among}, at {ms(fastest.step_ms)} ms/step",
        (*map(_sentence, found), *_missing(cells, found)),
        _grid(title, fastest, found),
    )


def _sentence(why: Why) -> str:
    """'PyTorch (eager) takes 14.0 ms more: 8.7 ms of it (62 %) is ..., 3.1 ms (22 %) ...'."""
    title, whole = why.cell.column.title, why.difference.mean
    not_shown = f"{title} is not shown to be more than {percent(MARGIN)} slower"
    if whole <= 0:  # by the rounds that were profiled
        return f"{title} was not slower when it was profiled." if why.shown else f"{not_shown}."
    spreads = {words: getattr(why, name).mean for name, words in PARTS}
    parts = [
        f"{_signed(part, whole)} ms ({percent(part / whole)}) is {words}"
        for words, part in sorted(spreads.items(), key=lambda entry: -entry[1])
    ]
    lead = title if why.shown else f"{not_shown}; by its mean it"
    return f"{lead} takes {ms(whole)} ms more: {', '.join(parts)}."


def _missing(cells: Sequence[Cell], found: list[Why]) -> list[str]:
    """What is not compared, and why."""
    compared = {why.cell for why in found} | {found[0].fastest}
    left = [cell for cell in cells if cell not in compared]
    return [
        f"{cell.column.title} is not compared: "
        f"{cell.disturbed or 'no profiled round in common with the fastest'}."
        for cell in left
    ]


def _grid(title: str, fastest: Cell, found: list[Why]) -> Grid:
    rounds = sorted({len(why.rounds) for why in found})
    of = (
        count(rounds[-1], "round")
        if len(set(rounds)) == 1
        else f"{rounds[0]} to {rounds[-1]} rounds"
    )
    caption = (
        f"{title}: ms of a step, mean over {of} (lowest to highest). The first line is what a step "
        "of the fastest column is spent on, the others are the differences to it."
    )
    lines = (_line_of_fastest(fastest), *map(_line, found))
    return Grid(caption, HEADER + GROUP_HEADER, lines)


def _line_of_fastest(cell: Cell) -> tuple[str, ...]:
    parts = mean_parts(cell)
    busy = [ms(parts.groups[group].ms) for group in Group]
    return (
        *(cell.column.title, ms(cell.step_ms), NA, ms(parts.idle_ms), NA, NA),
        *(times(parts.slower), f"{parts.launched:,.0f}", *busy),
    )


def _line(why: Why) -> tuple[str, ...]:
    whole = why.difference.mean
    spreads = (why.difference, why.idle, why.same, why.other)
    slower = fmean(new.slower for _, new in why.rounds)
    launched = fmean(new.launched for _, new in why.rounds)
    groups = (why.group(group) for group in Group)
    return (
        *(why.cell.column.title, ms(why.cell.step_ms)),
        *(_spread(spread, whole) for spread in spreads),
        *(times(slower), f"{launched:,.0f}"),
        *(_signed(spread.mean, whole) for spread in groups),
    )


def _spread(spread: Spread, whole: float) -> str:
    text = _signed(spread.mean, whole)
    if spread.low == spread.high:
        return text
    ends = f"({_signed(spread.low, whole)} to {_signed(spread.high, whole)})".replace(" ", "\u00a0")
    return f"{text} {ends}"


def _signed(value: float, whole: float) -> str:
    """To the digit of the whole difference."""
    text = f"{value:+.{decimals(abs(whole))}f}"
    return text.replace("-", "\u2212")
