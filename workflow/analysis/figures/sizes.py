"""Lines of the same step at several sizes, a panel per row."""

from collections.abc import Callable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CellKey, Data, cell_key
from analysis.figures.panels import empty, line_panels, plot_cell

Points = Mapping[CellKey, Mapping[int, float]]  # by cell and size, of two sizes or more


def size_panels(
    data: Data,
    points: Points,
    labels: tuple[str, str],
    why_empty: str,
    scale: Callable[[Axes, list[int], list[float]], None],
) -> Figure:
    """Draw a line through the points of each cell; `scale` sets up the axes of a panel from its
    sizes and its times.
    """
    rows = [row for row in data.results.rows if any(cell_key(c) in points for c in row.measured)]
    if not rows:
        return empty(why_empty)
    drawn = {cell.column for row in rows for cell in row.measured if cell_key(cell) in points}
    figure, panels = line_panels(rows, [c for c in data.results.plan.columns if c in drawn])
    for axes, row in panels:
        lines = {c: points[cell_key(c)] for c in row.measured if cell_key(c) in points}
        for cell, line in lines.items():
            plot_cell(axes, cell, list(line), list(line.values()))
        sizes = sorted({size for line in lines.values() for size in line})
        scale(axes, sizes, [time for line in lines.values() for time in line.values()])
        axes.set_xlabel(labels[0], fontsize=8.5)
        axes.set_ylabel(labels[1], fontsize=8.5)
    return figure
