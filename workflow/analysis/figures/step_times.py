"""ms/step of every cell with its interval: the table as a picture."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.legends import legend_of_marks
from analysis.figures.panels import MARKER_SIZE, label_panels, line_per_column, log_ticks
from analysis.figures.style import INK, look
from analysis.formats.text import ms
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing

RUN = {"marker": "|", "markersize": 6, "alpha": 0.7}
FILLS = {
    Standing.BEST: "full",
    Standing.UNDECIDED: "left",
    Standing.NOT_COMPARED: "bottom",
    Standing.SLOWER: "none",
}


def step_times(data: Data) -> Figure:
    """One panel per row, one line per column: mean, 95 % interval, and the mean of each run."""
    results = data.results
    marks = {
        **{
            f"mean, {standing}": {"marker": "o", "markersize": MARKER_SIZE, "fillstyle": fill}
            for standing, fill in FILLS.items()
        },
        "95 % interval": {"linestyle": "-", "linewidth": 2.2},
        "mean of a run": RUN,
    }
    figure, panels = label_panels(results, list(marks))
    for place, axes, row in panels:
        _panel(axes, place, row)
    legend_of_marks(figure, marks)
    return figure


def _panel(axes: Axes, place: int, row: RowCells) -> None:
    axes.set_xscale("log")
    for line, cell in enumerate(row.cells):
        if cell.ok_runs:
            _cell(axes, line, cell, FILLS[row.standings[cell.column.name]])
    values = [value for cell in row.measured for value in cell.run_ms.values()]
    low, high = min(values) / 1.15, max(values) * 1.15
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)
    line_per_column(axes, place, row, lambda cell: f"{ms(cell.step_ms)} ms")
    axes.set_xlabel("ms/step, logarithmic", fontsize=8.5)


def _cell(axes: Axes, line: int, cell: Cell, fill: str) -> None:
    style = look(cell.column)
    runs = list(cell.run_ms.values())
    axes.plot(runs, [line] * len(runs), linestyle="", color=INK, **RUN)
    if cell.interval:
        axes.hlines(line, cell.interval.low, cell.interval.high, color=style.colour, linewidth=2.2)
    axes.plot(
        *(cell.step_ms, line, style.marker),
        **{"color": style.colour, "fillstyle": fill, "markersize": MARKER_SIZE},
    )
