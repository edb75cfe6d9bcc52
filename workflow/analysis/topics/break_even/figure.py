"""Time to N steps: what compiling costs first and saves later."""

import numpy as np
from matplotlib.figure import Figure

from analysis.data import CELL, Data, cell_key
from analysis.figures.panels import empty, line_panels, log_scale
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
    columns, axis = data.results.plan.columns, "time to N steps, s"
    figure, panels = line_panels(rows, columns, "steps N", axis)
    for axes, row in panels:
        ends = []
        for cell in row.measured:
            look = {"color": cell.column.colour, "marker": cell.column.marker}
            for start in of_cells[cell_key(cell)].itertuples():
                times = seconds(start, STEPS)
                dashes = "--" if start.caches == "warm" else "-"
                drawn = {"markevery": MARKED, "markersize": 5, "linewidth": 1.4, **look}
                axes.plot(STEPS, times, linestyle=dashes, **drawn)
                ends += [times[0], times[-1]]
        log_scale(axes.xaxis, STEPS[0] / 1.5, STEPS[-1] * 1.5)
        log_scale(axes.yaxis, min(ends) / 1.5, max(ends) * 1.5)
    return figure


def seconds(start, steps):
    """Time from the first step until so many steps are done, at least that of the first one."""
    return np.maximum(start.first_step_s, start.start_up_s + steps * start.step_s)
