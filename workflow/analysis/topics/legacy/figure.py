"""The same steps by three clocks: pipelined (ours), a fence after every step, and the published
arithmetic.
"""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, RUN, CellKey, Data, cell_key
from analysis.figures.legends import legend_of_marks
from analysis.figures.panels import label_panels, line_per_column, log_ticks
from analysis.figures.style import RULE, look
from analysis.formats.text import ms
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.statistics.fullest import of_fullest_runs
from analysis.statistics.intervals import geometric_mean

CLOCKS = {
    "ms_per_step": ("pipelined (ours)", "o"),
    "synchronised_p50_ms": ("synchronised, median", "|"),
    "legacy_ms": ("published arithmetic", "x"),
}
MARKER = {"markersize": 8, "markeredgewidth": 1.6, "markerfacecolor": "none"}


Times = Mapping[CellKey, Mapping[str, float]]  # ms/step, by cell and clock


def methods(data: Data) -> Figure:
    """One panel per row; one line per column with the three times on a logarithmic axis."""
    marks = {name: {"marker": marker, **MARKER} for name, marker in CLOCKS.values()}
    figure, panels = label_panels(data.results, list(marks))
    times = clocks_ms(data)
    for place, axes, row in panels:
        _panel(axes, place, row, times)
    legend_of_marks(figure, marks)
    return figure


def _panel(axes: Axes, place: int, row: RowCells, times: Times) -> None:
    axes.set_xscale("log")
    found = [
        value for line, cell in enumerate(row.cells) for value in _draw(axes, line, cell, times)
    ]
    low, high = min(found) / 1.2, max(found) * 1.2
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)
    line_per_column(axes, place, row, lambda cell: f"{ms(cell.step_ms)} ms")
    axes.set_xlabel("ms/step, logarithmic", fontsize=8.5)


def _draw(axes: Axes, line: int, cell: Cell, times: Times) -> list[float]:
    """Draw the times of a cell that exist; returns them."""
    colour, found = look(cell.column).colour, times.get(cell_key(cell), {})
    for clock, (_, marker) in CLOCKS.items():
        if clock in found:
            axes.plot(found[clock], line, marker, color=colour, **MARKER, zorder=3)
    if found:
        axes.hlines(
            line, min(found.values()), max(found.values()), color=RULE, linewidth=2, zorder=1
        )
    return list(found.values())


def clocks_ms(data: Data) -> Times:
    """ms/step by clock, of the runs that were timed by the most of them."""
    found = data.ok_runs.melt(RUN, list(CLOCKS), "clock", "ms").dropna(subset=["ms"])
    found = of_fullest_runs(found, CELL, ["clock"])
    means = found["ms"].groupby([found[name] for name in (*CELL, "clock")]).agg(geometric_mean)
    times: dict[CellKey, dict[str, float]] = {}
    for (*key, clock), time in means.items():
        times.setdefault(tuple(key), {})[clock] = time
    return times
