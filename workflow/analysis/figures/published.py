"""Ours against the published ratios: each cell over the mean of its row, here and there."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.legends import legend, of_columns
from analysis.figures.panels import WIDTH_IN, empty, log_scale
from analysis.figures.style import INK, RULE
from analysis.results.cells import Cell
from analysis.results.reference import Reference
from analysis.results.rows import RowCells
from analysis.statistics.intervals import geometric_mean

AGREE = 1.25  # times or divided by: the band that is shaded

Point = tuple[Cell, float, float]  # cell, published, ours


def published(data: Data) -> Figure:
    """A point per cell that both have: time over the geometric mean of the row's common columns."""
    points = [point for row in data.results.rows for point in relative_times(row, data.reference)]
    if not points:
        return empty("no row has two columns with a time both here and in the published table")
    figure = Figure(figsize=(WIDTH_IN, 6.2), layout="constrained")
    axes = figure.subplots()
    for cell, theirs, ours in points:
        colour = cell.column.colour
        same = cell.row.batch_size == cell.row.published_batch_size
        look = {"color": colour, "markerfacecolor": colour if same else "none", "markersize": 7}
        axes.plot(theirs, ours, cell.column.marker, **look)
    _frame(axes, [value for _, theirs, ours in points for value in (theirs, ours)])
    drawn = {cell.column for cell, _, _ in points}
    legend(figure, of_columns([c for c in data.results.plan.columns if c in drawn]))
    return figure


def relative_times(row: RowCells, reference: Reference) -> list[Point]:
    """The points of a row; none unless two columns have both times, since a ratio needs two."""
    columns = reference.beside(cell.column for cell in row.cells)
    both = {
        cell: value
        for cell in row.measured
        if cell.column in columns
        and (value := reference.published_ms(row.row, cell.column)) is not None
    }
    if len(both) < 2:
        return []
    ours, theirs = geometric_mean([c.step_ms for c in both]), geometric_mean(both.values())
    return [(cell, value / theirs, cell.step_ms / ours) for cell, value in both.items()]


def _frame(axes: Axes, values: list[float]) -> None:
    low, high = min(values) / 1.2, max(values) * 1.2
    axes.plot([low, high], [low, high], color=INK, linewidth=0.9, zorder=1)
    band = ([low / AGREE, high / AGREE], [low * AGREE, high * AGREE])
    axes.fill_between([low, high], *band, color=RULE, alpha=0.4, linewidth=0, zorder=0)
    for axis, whose in ((axes.xaxis, "published"), (axes.yaxis, "this run")):
        log_scale(axis, low, high)
        axis.set_label_text(f"{whose}: time over the mean of the row")
    axes.set_aspect("equal")
