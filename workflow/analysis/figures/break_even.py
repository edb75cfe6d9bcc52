"""Time to N steps: what compiling costs first and saves later."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.comparisons.break_even import caches_of, cost
from analysis.figures.panels import empty, line_panels, log_ticks
from analysis.figures.style import look
from analysis.results.cells import Cell
from analysis.results.reference import Reference
from analysis.results.results import Results

STEPS = tuple(10 ** (exponent / 8) for exponent in range(41))  # 1 to 100,000
MARKED = slice(0, None, 8)


def break_even(results: Results, reference: Reference) -> Figure:
    """One panel per row: from the first step to the N-th, both axes logarithmic."""
    rows = [row for row in results.rows if row.measured]
    if not rows:
        return empty("no run has a time yet")
    figure, panels = line_panels(rows, results.plan.columns)
    for axes, row in panels:
        axes.set(xscale="log", yscale="log")
        spans = [
            _line(axes, cell, caches)
            for cell in row.measured
            for caches in caches_of(cell)
            if cost(cell, caches)
        ]
        log_ticks(axes.xaxis, STEPS[0], STEPS[-1])
        log_ticks(axes.yaxis, min(low for low, _ in spans), max(high for _, high in spans))
        axes.set_xlabel("steps N", fontsize=8.5)
        axes.set_ylabel("time to N steps, s", fontsize=8.5)
    return figure


def _line(axes: Axes, cell: Cell, caches: str | None) -> tuple[float, float]:
    """Draw a cell as it starts from such caches; the seconds at both ends."""
    times = [cost(cell, caches).seconds(steps) for steps in STEPS]
    style = look(cell.column)
    dashes = "--" if caches == "warm" else "-"
    axes.plot(STEPS, times, color=style.colour, linewidth=1.4, linestyle=dashes)
    marks = {"linestyle": "", "marker": style.marker, "markersize": 5}
    axes.plot(STEPS[MARKED], times[MARKED], color=style.colour, **marks)
    return times[0], times[-1]
