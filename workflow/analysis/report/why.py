"""Why is it slower? For every row what each column's step has more than that of the fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.comparisons.operation_groups import Group
from analysis.comparisons.profiler_cost import profiler_cost
from analysis.comparisons.why import Spread, Why, against_fastest, mean_parts
from analysis.formats.text import NA, count, listed, ms, percent, times
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import MARGIN, Ratio
from analysis.writing.grid import Grid
from contract.table_text import decimals

HEADER = ("Column", "ms/step", "More than the fastest", "Nothing computes")
GROUP_HEADER = tuple(str(group).capitalize() for group in Group)
LAST_HEADER = ("Same operations, slower", "Other operations", "Under the profiler")
LAST_HEADER += ("Launched per step",)
IDLE = "time in which nothing computes"
TOLD = 0.05  # of a difference: smaller parts are in the table alone


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
        (*map(_sentence, found), *_unlike(found), *_missing(cells, found)),
        _grid(title, fastest, found),
    )


def _sentence(why: Why) -> str:
    """'PyTorch (eager) takes 14.0 ms more: +8.7 ms (62 %) is matrix products and convolutions,
    ...'.

    A part of which the rounds do not agree whether it is more or less is no reason.
    """
    title, whole = why.cell.column.title, why.difference.mean
    not_shown = f"{title} is not shown to be more than {percent(MARGIN)} slower"
    if whole <= 0:  # by the rounds that were profiled
        return f"{title} was not slower when it was profiled." if why.shown else f"{not_shown}."
    if not why.shown:
        return f"{not_shown}."
    spreads = {IDLE: why.idle, **{str(group): found for group, found in why.groups.items()}}
    told = {
        words: found.mean
        for words, found in spreads.items()
        if abs(found.mean) >= TOLD * whole and (len(why.rounds) == 1 or found.one_sign)
    }
    parts = [
        f"{_signed(part, whole)} ms ({_share(part / whole)}) is {words}"
        for words, part in sorted(told.items(), key=lambda entry: -entry[1])
    ]
    reasons = ", ".join(parts) or "the rounds do not agree in what"
    return " ".join([f"{title} takes {ms(whole)} ms more: {reasons}.", *_by_name(why, whole)])


def _by_name(why: Why, whole: float) -> Iterator[str]:
    """What is known of single operations."""
    if why.alike:
        same, other = (_signed(found.mean, whole) for found in (why.same(), why.other()))
        yield (
            f"Operations of the same names take {same} ms longer, what one has more of or alone "
            f"{other} ms."
        )


def _unlike(found: list[Why]) -> Iterator[str]:
    titles = [why.cell.column.title for why in found if why.shown and not why.alike]
    if titles:
        yield (
            f"The operations of {found[0].fastest.column.title} are not named as those of "
            f"{listed(titles)}, so that groups are all that is compared."
        )


def _missing(cells: Sequence[Cell], found: list[Why]) -> list[str]:
    """What is not compared, and why."""
    compared = {why.cell for why in found} | {found[0].fastest}
    left = [cell for cell in cells if cell not in compared]
    return [
        f"{cell.column.title} is not compared: "
        f"{cell.tells_nothing or 'no profiled round in common with the fastest'}."
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
        "of the fastest column is spent on, the others are the differences to it. A piece that a "
        "compiler fused is in one group as a whole."
    )
    lines = (_line_of_fastest(fastest), *map(_line, found))
    return Grid(caption, HEADER + GROUP_HEADER + LAST_HEADER, lines)


def _line_of_fastest(cell: Cell) -> tuple[str, ...]:
    parts = mean_parts(cell)
    busy = [ms(parts.ms(group)) for group in Group]
    return (
        *(cell.column.title, ms(cell.step_ms), NA, ms(parts.idle_ms), *busy),
        *(NA, NA, cost_text(profiler_cost(cell)), f"{parts.launched:,.0f}"),
    )


def _line(why: Why) -> tuple[str, ...]:
    whole = why.difference.mean
    launched = fmean(new.launched for _, new in why.rounds)
    spreads = (why.difference, why.idle, *why.groups.values(), why.same(), why.other())
    return (
        *(why.cell.column.title, ms(why.cell.step_ms)),
        *(NA if spread is None else _spread(spread, whole) for spread in spreads),
        *(cost_text(profiler_cost(why.cell)), f"{launched:,.0f}"),
    )


def cost_text(cost: Ratio | None) -> str:
    """'1.31× [1.2×, 1.4×]'."""
    if cost is None:
        return NA
    ends = cost.interval
    return times(cost.value) + (f" [{times(ends.low)}, {times(ends.high)}]" if ends else "")


def _spread(spread: Spread, whole: float) -> str:
    text = _signed(spread.mean, whole)
    if spread.low == spread.high:
        return text
    ends = f"({_signed(spread.low, whole)} to {_signed(spread.high, whole)})".replace(" ", "\u00a0")
    return f"{text} {ends}"


def _share(value: float) -> str:
    return percent(value).replace("-", "\u2212")


def _signed(value: float, whole: float) -> str:
    """To the digit of the whole difference."""
    text = f"{value:+.{decimals(abs(whole))}f}"
    return text.replace("-", "\u2212")
