"""Time to N steps: what compiling costs first and saves later."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, Data
from analysis.figures.panels import empty, line_panels, log_ticks
from analysis.figures.style import look
from analysis.topics.break_even.compute import costs

STEPS = np.logspace(0, 5, 41)
MARKED = slice(0, None, 8)


def break_even(data: Data) -> Figure:
    """One panel per row: from the first step to the N-th, both axes logarithmic."""
    rows = [row for row in data.results.rows if row.measured]
    if not rows:
        return empty("no run has a time yet")
    cost = costs(data)
    of_cells = dict(iter(cost[cost["keeps"] == (cost["caches"] != "none")].groupby(CELL)))
    figure, panels = line_panels(rows, data.results.plan.columns)
    for axes, row in panels:
        axes.set(xscale="log", yscale="log")
        spans = [
            _line(axes, cell.column, start)
            for cell in row.measured
            for start in of_cells[(*row.row.key, cell.column.name)].itertuples()
        ]
        log_ticks(axes.xaxis, STEPS[0], STEPS[-1])
        log_ticks(axes.yaxis, min(low for low, _ in spans), max(high for _, high in spans))
        axes.set_xlabel("steps N", fontsize=8.5)
        axes.set_ylabel("time to N steps, s", fontsize=8.5)
    return figure


def seconds(start, steps):
    """Time from the first step until so many steps are done, at least that of the first one."""
    return np.maximum(start.first_step_s, start.start_up_s + steps * start.step_s)


def _line(axes: Axes, column, start) -> tuple[float, float]:
    """Draw a cell as it starts from such caches; return the seconds at both ends."""
    times, style = seconds(start, STEPS), look(column)
    dashes = "--" if start.caches == "warm" else "-"
    axes.plot(STEPS, times, color=style.colour, linewidth=1.4, linestyle=dashes)
    marks = {"linestyle": "", "marker": style.marker, "markersize": 5}
    axes.plot(STEPS[MARKED], times[MARKED], color=style.colour, **marks)
    return times[0], times[-1]
