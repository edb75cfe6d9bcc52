"""What figures share: one panel per row of the table, the legend of the columns, and what stands
where there is nothing to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from analysis.figures.style import INK, look
from analysis.results.cells import Cell, Results, RowCells
from analysis.results.plan import Column
from analysis.statistics.intervals import geometric_mean

WIDTH_IN = 9.0
COLUMNS = 2
MOST_ROWS = 24  # a figure of more rows is not read; the tables have them all
LEGEND_IN = 0.55  # above the panels, for the legend
MARKER_SIZE = 7


def shown(rows: Sequence[RowCells]) -> Sequence[RowCells]:
    """The rows that a figure draws."""
    return rows[:MOST_ROWS]


@dataclass(frozen=True)
class Margins:
    """Inches around panels for labels. Fixed, because measuring all text takes seconds."""

    left: float
    between: float
    right: float
    above: float = 0.3  # of each panel, for its title
    below: float = 0.46  # of each panel, for its axis


def panels(
    rows: Sequence[RowCells], height_in: float, margins: Margins
) -> tuple[Figure, list[Axes]]:
    """A figure with one titled panel per row that is shown, two beside each other."""
    number = len(shown(rows))
    lines = max(1, -(-number // COLUMNS))
    line_in = margins.above + height_in + margins.below
    total_in = LEGEND_IN + lines * line_in + (0.3 if len(rows) > MOST_ROWS else 0)
    figure = Figure(figsize=(WIDTH_IN, total_in))
    width_in = (WIDTH_IN - margins.left - margins.right - (COLUMNS - 1) * margins.between) / COLUMNS
    all_axes = []
    for place, row in enumerate(shown(rows)):
        line, column = divmod(place, COLUMNS)
        left = margins.left + column * (width_in + margins.between)
        bottom = total_in - LEGEND_IN - (line + 1) * line_in + margins.below
        box = (left / WIDTH_IN, bottom / total_in, width_in / WIDTH_IN, height_in / total_in)
        axes = figure.add_axes(box)
        axes.set_title(title(row))
        axes.tick_params(labelsize=8.5)
        all_axes.append(axes)
    say_left_out(figure, rows)
    return figure, all_axes


def label_margins(results: Results) -> Margins:
    """Room for the titles of the columns at the left and a number at the right."""
    longest = max((len(column.title) for column in results.plan.columns), default=0)
    return Margins(left=min(0.4 + 0.07 * longest, 3.0), between=1.05, right=0.98)


LINE_MARGINS = Margins(left=0.9, between=0.9, right=0.2)


def title(row: RowCells) -> str:
    """'BERT fit, batch 8'."""
    return f"{row.row.title}, batch {row.row.batch_size}"


def say_left_out(figure: Figure, rows: Sequence[RowCells]) -> None:
    """Rows beyond those that are shown are never dropped without a word."""
    if len(rows) > MOST_ROWS:
        words = f"The first {MOST_ROWS} of {len(rows):,} rows; the tables have them all."
        figure.supxlabel(words, fontsize=9)


def empty(reason: str) -> Figure:
    """A figure without data says why."""
    figure = Figure(figsize=(WIDTH_IN, 1.2))
    figure.text(0.5, 0.5, f"Nothing to draw: {reason}.", ha="center", va="center")
    return figure


def nothing_measured(axes: Axes, row: RowCells) -> None:
    """Say in the panel what became of every column."""
    words = "\n".join(f"{cell.column.title}: {cell.status}" for cell in row.cells)
    place = {"transform": axes.transAxes, "ha": "center", "va": "center", "fontsize": 8.5}
    axes.text(0.5, 0.5, f"nothing measured\n{words}", **place)
    axes.set_xticks([])
    axes.set_yticks([])


def legend_of(figure: Figure, columns: Iterable[Column]) -> None:
    """Colour and marker of every column, above the panels."""
    columns = list(columns)
    handles = [
        Line2D([], [], color=look(column).colour, marker=look(column).marker) for column in columns
    ]
    figure.legend(handles, [column.title for column in columns], **_above(figure))


def legend_of_marks(figure: Figure, marks: dict[str, dict]) -> None:
    """What marks of any colour mean, above the panels."""
    handles = [Line2D([], [], **{"linestyle": "", "color": INK, **mark}) for mark in marks.values()]
    figure.legend(handles, list(marks), **_above(figure))


def _above(figure: Figure) -> dict[str, object]:
    placed = "upper center" if figure.get_layout_engine() is None else "outside upper center"
    return {"loc": placed, "ncols": 3, "fontsize": 9}


def line_per_column(axes: Axes, place: int, row: RowCells, value: Callable[[Cell], str]) -> None:
    """A line per column from top to bottom; its value, or its status, at the right."""
    axes.set_ylim(len(row.cells) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    titles = [cell.column.title for cell in row.cells]
    left = place % COLUMNS == 0
    axes.set_yticks(range(len(row.cells)), titles if left else [""] * len(titles))
    beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for line, cell in enumerate(row.cells):
        words = value(cell) if cell.ok_runs else cell.status
        axes.annotate(words, (1, line), (7, 0), va="center", fontsize=8.5, **beside)


def log_ticks(axis, low: float, high: float) -> None:
    """Plain numbers on a logarithmic axis, as many as fit."""
    decades = high / low
    steps = (1.0,) if decades > 1e3 else (1, 2, 5) if decades > 8 else (1, 1.5, 2, 3, 5, 7)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(lambda value, _: short(value))
    axis.set_minor_locator(NullLocator())


def short(value: float) -> str:
    """0.5, 2,000, 10k, 1M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= 10 * size or value == size == 1e6:
            return f"{value / size:,.10g}{letter}"
    return f"{value:,.10g}"


def plot_cell(axes: Axes, cell: Cell, xs: Sequence[float], ys: Sequence[float]) -> None:
    """A line with markers in the look of the cell's column."""
    style = look(cell.column)
    axes.plot(xs, ys, color=style.colour, marker=style.marker, markersize=5, linewidth=1.4)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Geometric mean of what is there; None when nothing is."""
    known = [value for value in values if value]
    return geometric_mean(known) if known else None
