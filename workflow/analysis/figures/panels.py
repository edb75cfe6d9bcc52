"""What figures share: one panel per row of the table, as high as its columns need, and what stands
where there is nothing to show.
"""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from analysis.figures.legends import column_labels, legend_in, legend_of
from analysis.figures.style import look
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.results import Results
from analysis.results.rows import RowCells

WIDTH_IN = 9.0
COLUMNS = 2
MOST_ROWS = 24  # a figure of more rows is not read; the tables have them all
LINE_IN, SECOND_LINE_IN = 0.2, 0.13  # of a panel, for each title at its left
LABEL_CHARACTERS = 34  # of a line; a longer title takes two
FEW_COLUMNS = 6  # that fit into a panel of the least height
MARKER_SIZE = 7
NOTE_IN = 0.06  # above the lower edge


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


LINE_MARGINS = Margins(left=0.9, between=0.9, right=0.2)


def panels(
    rows: Sequence[RowCells], height_in: float, margins: Margins, legend: Sequence[str]
) -> tuple[Figure, list[Axes]]:
    """A figure with one titled panel per row that is shown, two beside each other, and room for a
    legend of these labels above them.
    """
    above_in = legend_in(legend)
    number = len(shown(rows))
    lines = max(1, -(-number // COLUMNS))
    line_in = margins.above + height_in + margins.below
    total_in = above_in + lines * line_in + (0.3 if len(rows) > MOST_ROWS else 0)
    figure = Figure(figsize=(WIDTH_IN, total_in))
    width_in = (WIDTH_IN - margins.left - margins.right - (COLUMNS - 1) * margins.between) / COLUMNS
    all_axes = []
    for place, row in enumerate(shown(rows)):
        line, column = divmod(place, COLUMNS)
        left = margins.left + column * (width_in + margins.between)
        bottom = total_in - above_in - (line + 1) * line_in + margins.below
        box = (left / WIDTH_IN, bottom / total_in, width_in / WIDTH_IN, height_in / total_in)
        axes = figure.add_axes(box)
        axes.set_title(title(row))
        axes.tick_params(labelsize=8.5)
        all_axes.append(axes)
    note_left_out(figure, rows)
    return figure, all_axes


def label_panels(
    results: Results, legend: Sequence[str]
) -> tuple[Figure, Iterator[tuple[int, Axes, RowCells]]]:
    """Panels with a line per column, its title at the left and a number at the right; each with
    its place and its row. One of a row without any time says so.
    """
    labels = [label(column).split("\n") for column in results.plan.columns]
    longest = max((len(line) for lines in labels for line in lines), default=0)
    margins = Margins(left=0.4 + 0.07 * longest, between=1.05, right=0.98)
    least_in = LINE_IN + SECOND_LINE_IN * (max(map(len, labels), default=1) - 1)
    height_in = least_in * max(FEW_COLUMNS, len(labels))
    figure, all_axes = panels(results.rows, height_in, margins, legend)
    found = list(zip(range(len(all_axes)), all_axes, shown(results.rows), strict=True))
    for _, axes, row in found:
        if not row.measured:
            nothing_measured(axes, row)
    return figure, (each for each in found if each[2].measured)


def line_panels(
    rows: Sequence[RowCells], columns: Sequence[Column]
) -> tuple[Figure, Iterator[tuple[Axes, RowCells]]]:
    """Panels in which these columns are lines, with their legend; each with its row."""
    height_in = 1.6 + 0.05 * max(0, len(columns) - FEW_COLUMNS)
    figure, all_axes = panels(rows, height_in, LINE_MARGINS, column_labels(columns))
    legend_of(figure, columns)
    return figure, zip(all_axes, shown(rows), strict=True)


def label(column: Column) -> str:
    """The title of a column on at most two lines."""
    lines = textwrap.wrap(column.title, LABEL_CHARACTERS, max_lines=2, placeholder="…")
    return "\n".join(lines)


def title(row: RowCells) -> str:
    """'BERT fit, batch 8'."""
    return f"{row.row.title}, batch {row.row.batch_size}"


def note_left_out(figure: Figure, rows: Sequence[RowCells]) -> None:
    """A note on the rows beyond those that are shown."""
    if len(rows) > MOST_ROWS:
        note(figure, f"The first {MOST_ROWS} of {len(rows):,} panels; the tables have them all.")


def note(figure: Figure, text: str) -> None:
    """At the bottom. In inches where nothing lays the figure out: a share of the height of a long
    figure lies among the labels of its last panels.
    """
    laid_out = figure.get_layout_engine() is not None
    place = {} if laid_out else {"y": NOTE_IN / figure.get_figheight()}
    figure.supxlabel(text, fontsize=9, **place)


def empty(reason: str) -> Figure:
    """A figure without data says why."""
    figure = Figure(figsize=(WIDTH_IN, 1.2))
    figure.text(0.5, 0.5, f"Nothing to draw: {reason}.", ha="center", va="center")
    return figure


def nothing_measured(axes: Axes, row: RowCells) -> None:
    """Say in the panel what became of every column."""
    text = "\n".join(f"{cell.column.title}: {cell.status}" for cell in row.cells)
    place = {"transform": axes.transAxes, "ha": "center", "va": "center", "fontsize": 8.5}
    axes.text(0.5, 0.5, f"nothing measured\n{text}", **place)
    axes.set_xticks([])
    axes.set_yticks([])


def line_per_column(axes: Axes, place: int, row: RowCells, value: Callable[[Cell], str]) -> None:
    """A line per column from top to bottom; its value, or its status, at the right."""
    axes.set_ylim(len(row.cells) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    titles = [label(cell.column) for cell in row.cells]
    left = place % COLUMNS == 0
    axes.set_yticks(range(len(row.cells)), titles if left else [""] * len(titles))
    offset = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for line, cell in enumerate(row.cells):
        text = value(cell) if cell.ok_runs else cell.status
        axes.annotate(text, (1, line), (7, 0), va="center", fontsize=8.5, **offset)


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
