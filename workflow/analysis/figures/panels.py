"""Parts that figures share: one panel per row of the table, as high as its columns need, and what
stands where there is nothing to show.
"""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from analysis.data import CellKey, Data
from analysis.figures.legends import legend, legend_in, of_columns
from analysis.formats.text import ms
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.rows import RowCells

WIDTH_IN = 9.0
COLUMNS = 2
AROUND_IN = 0.76  # a panel, for its title and its axis
MOST_ROWS = 24  # a figure of more rows is not read; the tables have them all
LINE_IN, SECOND_LINE_IN = 0.2, 0.13  # of a panel, for each title at its left
LABEL_CHARACTERS = 34  # of a line; a longer title takes two
FEW_COLUMNS = 6  # that fit into a panel of the least height
MARKER_SIZE, SMALL = 7, 8.5
NOTHING = "nothing-to-draw"  # the id of what stands in a figure that pages leave out

Points = Mapping[CellKey, Mapping[int, float]]  # by cell and size, of two sizes or more


def shown(rows: Sequence[RowCells]) -> Sequence[RowCells]:
    """The rows that a figure draws."""
    return rows[:MOST_ROWS]


def grid(number: int, height_in: float, above_in: float = 0.0) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, two beside each other, with room above them."""
    lines = max(1, -(-number // COLUMNS))
    size_in = (WIDTH_IN, above_in + lines * height_in)
    figure = Figure(figsize=size_in, layout="constrained")
    panels = list(figure.subplots(lines, COLUMNS, squeeze=False).flat)
    for axes in panels:
        axes.tick_params(labelsize=SMALL)
    for axes in panels[number:]:
        axes.remove()
    return figure, panels[:number]


def row_panels(
    rows: Sequence[RowCells], height_in: float, handles: Mapping[str, Artist]
) -> tuple[Figure, Iterator[tuple[Axes, RowCells]]]:
    """A titled panel per row that is shown, below a legend."""
    figure, panels = grid(len(shown(rows)), height_in + AROUND_IN, legend_in(handles))
    legend(figure, handles)
    note_left_out(figure, rows)
    for axes, row in zip(panels, shown(rows), strict=True):
        axes.set_title(row.row.heading)
    return figure, zip(panels, shown(rows), strict=True)


def column_panels(
    data: Data,
    handles: Mapping[str, Artist],
    draw: Callable[[Axes, int, Cell], Iterable[float]],
    axis: str,
    value: Callable[[Cell], str] = lambda cell: f"{ms(cell.step_ms)} ms",
) -> Figure:
    """Panels with a line per column, its title at the left, its value or its status at the right.

    `draw` puts a measured cell on its line and returns the numbers that its panel has to reach,
    from 0.
    """
    rows, columns = data.results.rows, data.results.plan.columns
    most = max((label(column).count("\n") for column in columns), default=0)
    height_in = (LINE_IN + SECOND_LINE_IN * most) * max(FEW_COLUMNS, len(columns))
    figure, panels = row_panels(rows, height_in, handles)
    for axes, row in panels:
        if not row.measured:
            _nothing_measured(axes, row)
            continue
        lines = [(line, cell) for line, cell in enumerate(row.cells) if cell.ok_runs]
        numbers = [number for line, cell in lines for number in draw(axes, line, cell)]
        axes.set_xlim(0, 1.05 * max(numbers, default=0) or 1.0)
        axes.set_xlabel(axis, fontsize=SMALL)
        _line_per_column(axes, row, value)
    return figure


def line_panels(
    rows: Sequence[RowCells], columns: Sequence[Column], x: str, y: str
) -> tuple[Figure, Iterator[tuple[Axes, RowCells]]]:
    """Panels in which each of these columns is a line, with a legend."""
    height_in = 1.6 + 0.05 * max(0, len(columns) - FEW_COLUMNS)
    figure, panels = row_panels(rows, height_in, of_columns(columns))
    for axes in figure.axes:
        axes.set_xlabel(x, fontsize=SMALL)
        axes.set_ylabel(y, fontsize=SMALL)
    return figure, panels


def size_panels(
    data: Data,
    points: Points,
    labels: tuple[str, str],
    why_empty: str,
    log: bool = False,
) -> Figure:
    """Draw a line through the points of each cell, a panel per row; times from 0, or both axes
    logarithmic.
    """
    cells = {cell: points[key] for key, cell in data.cell_of.items() if key in points}
    rows = [row for row in data.results.rows if not cells.keys().isdisjoint(row.measured)]
    if not rows:
        return empty(why_empty)
    columns = {cell.column for cell in cells}
    in_order = [column for column in data.results.plan.columns if column in columns]
    figure, panels = line_panels(rows, in_order, *labels)
    for axes, row in panels:
        lines = {cell: cells[cell] for cell in row.measured if cell in cells}
        for cell, line in lines.items():
            plot_cell(axes, cell, list(line), list(line.values()))
        if log:
            times = [time for line in lines.values() for time in line.values()]
            log_scale(axes.yaxis, min(times) / 1.3, max(times) * 1.3)
            axes.set_xscale("log")
            axes.set_xticks([], minor=True)
        else:
            axes.set_ylim(bottom=0)
        sizes = sorted({size for line in lines.values() for size in line})
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    return figure


def plot_cell(axes: Axes, cell: Cell, xs: Sequence[float], ys: Sequence[float]) -> None:
    """A line with markers in the look of the cell's column."""
    look = {"color": cell.column.colour, "marker": cell.column.marker}
    axes.plot(xs, ys, markersize=5, linewidth=1.4, label=cell.column.title, **look)


def label(column: Column) -> str:
    """The title of a column on at most two lines."""
    lines = textwrap.wrap(column.title, LABEL_CHARACTERS, max_lines=2, placeholder="…")
    return "\n".join(lines)


def note_left_out(figure: Figure, rows: Sequence[RowCells]) -> None:
    """Add a note on the rows beyond those that are shown."""
    if len(rows) > MOST_ROWS:
        text = f"The first {MOST_ROWS} of {len(rows):,} panels; the tables have them all."
        figure.supxlabel(text, fontsize=9)


def empty(reason: str) -> Figure:
    """A figure that says why there is nothing to draw; pages leave it out (NOTHING)."""
    return saying(f"Nothing to draw: {reason}.", gid=NOTHING)


def saying(text: str, **looks: str) -> Figure:
    """A figure of words alone."""
    figure = Figure(figsize=(WIDTH_IN, 1.2))
    figure.text(0.5, 0.5, text, ha="center", va="center", **looks)
    return figure


def _nothing_measured(axes: Axes, row: RowCells) -> None:
    """Say in the panel what became of every column."""
    texts = [f"{cell.column.title}: {cell.status}" for cell in row.cells]
    place = {"transform": axes.transAxes, "ha": "center", "va": "center", "fontsize": SMALL}
    axes.text(0.5, 0.5, "\n".join(["nothing measured", *texts]), **place)
    axes.set(xticks=[], yticks=[])


def _line_per_column(axes: Axes, row: RowCells, value: Callable[[Cell], str]) -> None:
    axes.set_ylim(len(row.cells) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_yticks(range(len(row.cells)), [label(cell.column) for cell in row.cells])
    axes.tick_params(labelleft=axes.get_subplotspec().is_first_col())
    for line, cell in enumerate(row.cells):
        write_beside(axes, line, value(cell) if cell.ok_runs else cell.status)


def write_beside(axes: Axes, line: float, text: str, **look: str) -> None:
    """Write at the right of a panel, at the height of one of its lines."""
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
    axes.annotate(text, (1, line), (7, 0), fontsize=SMALL, annotation_clip=False, **place, **look)


def log_scale(axis: Axis, low: float, high: float) -> None:
    """Make an axis logarithmic from `low` to `high`, with plain numbers, as many as fit."""
    name = axis.axis_name
    axis.axes.set(**{f"{name}scale": "log", f"{name}lim": (low, high)})
    reach = high / low
    steps = (1.0,) if reach > 1e3 else (1, 2, 5) if reach > 8 else (1, 1.5, 2, 3, 5, 7)
    axis.set_major_locator(LogLocator(subs=steps, numticks=12))
    axis.set_major_formatter(lambda value, _: short(value))
    axis.set_minor_locator(NullLocator())


def short(value: float) -> str:
    """A number at an axis: 0.5, 2,000, 10k, 1.5M."""
    for least, size, letter in ((1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if value >= least:
            return f"{value / size:,.10g}{letter}"
    return f"{value:,.10g}"
