"""ms/step of every cell with its interval: the table as a picture."""

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.legends import of_marks
from analysis.figures.panels import MARKER_SIZE, column_panels
from analysis.figures.style import INK
from analysis.results.cells import Cell
from analysis.statistics.best_set import Standing

RUN = {"marker": "|", "markersize": 6, "alpha": 0.7}
FILLS = {
    str(Standing.BEST): "full",
    str(Standing.UNDECIDED): "left",
    str(Standing.NOT_COMPARED): "bottom",
    str(Standing.SLOWER): "none",
}
MARKS = {
    f"mean, {standing}": {"marker": "o", "markersize": MARKER_SIZE, "fillstyle": fill}
    for standing, fill in FILLS.items()
}
MARKS["95 % interval"] = {"linestyle": "-", "linewidth": 2.2}
MARKS["mean of a run"] = RUN


def step_times(data: Data) -> Figure:
    """One panel per row, one line per column: mean, 95 % interval, and the mean of each run."""
    fills = data.cells["standing"].map(FILLS)
    fill_of = dict(zip(data.cell_of.values(), fills, strict=True))
    return column_panels(
        data,
        of_marks(MARKS),
        lambda axes, line, cell: _cell(axes, line, cell, fill_of[cell]),
        "ms/step, logarithmic",
        log=True,
    )


def _cell(axes: Axes, line: int, cell: Cell, fill: str) -> Iterator[float]:
    colour, runs = cell.column.colour, list(cell.run_ms.values())
    axes.plot(runs, [line] * len(runs), linestyle="", color=INK, **RUN)
    if cell.interval:
        axes.hlines(line, cell.interval.low, cell.interval.high, color=colour, linewidth=2.2)
    look = {"color": colour, "fillstyle": fill, "markersize": MARKER_SIZE}
    axes.plot(cell.step_ms, line, cell.column.marker, **look)
    return runs
