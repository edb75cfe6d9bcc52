"""The same steps by three clocks: pipelined (ours), a fence after every step, and the published
arithmetic.
"""

from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, RUN, CellKey, Data, cell_key, of_fullest_runs
from analysis.figures.legends import of_marks
from analysis.figures.panels import column_panels
from analysis.figures.style import RULE
from analysis.results.cells import Cell
from analysis.statistics.intervals import geometric_mean

CLOCKS = {
    "ms_per_step": ("pipelined (ours)", "o"),
    "synchronised_p50_ms": ("synchronised, median", "|"),
    "legacy_ms": ("published arithmetic", "x"),
}
MARKER = {"markersize": 8, "markeredgewidth": 1.6, "markerfacecolor": "none"}


def methods(data: Data) -> Figure:
    """One panel per row; one line per column with the three times on a logarithmic axis."""
    times = clocks_ms(data)

    def marks(axes: Axes, line: int, cell: Cell) -> Iterable[float]:
        found = times[cell_key(cell)]
        for clock, time in found.items():
            mark = {"marker": CLOCKS[clock][1], "color": cell.column.colour, "zorder": 3}
            axes.plot(time, line, **mark, **MARKER)
        ends = min(found.values()), max(found.values())
        axes.hlines(line, *ends, color=RULE, linewidth=2, zorder=1)
        return ends

    handles = of_marks({name: {"marker": marker, **MARKER} for name, marker in CLOCKS.values()})
    return column_panels(data, handles, marks, "ms/step, logarithmic", log=True)


def clocks_ms(data: Data) -> Mapping[CellKey, Mapping[str, float]]:
    """ms/step by cell and clock, of the runs that were timed by the most clocks."""
    found = data.ok_runs.melt(RUN, list(CLOCKS), "clock", "ms").dropna(subset=["ms"])
    found = of_fullest_runs(found, ["clock"])
    means = found.groupby([*CELL, "clock"])["ms"].agg(geometric_mean).unstack("clock")
    return {key: of_cell.dropna().to_dict() for key, of_cell in means.iterrows()}
