"""The same steps by three clocks: pipelined (ours), a fence after every step, and the published
arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.comparisons.fullest import fullest
from analysis.data import Data
from analysis.figures.legends import legend_of_marks
from analysis.figures.panels import (
    label_panels,
    line_per_column,
    log_ticks,
    nothing_measured,
)
from analysis.figures.style import RULE, look
from analysis.formats.text import ms
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import geometric_mean

METHODS: tuple[tuple[str, str, Callable[[Run], float | None]], ...] = (
    ("pipelined (ours)", "o", lambda run: run.step_ms),
    ("synchronised, median", "|", lambda run: run.synchronised_ms),
    ("published arithmetic", "x", lambda run: run.legacy_ms),
)
MARKER = {"markersize": 8, "markeredgewidth": 1.6, "markerfacecolor": "none"}


def methods(data: Data) -> Figure:
    """One panel per row; one line per column with the three times on a logarithmic axis."""
    results = data.results
    marks = {name: {"marker": marker, **MARKER} for name, marker, _ in METHODS}
    figure, panels = label_panels(results, list(marks))
    for place, axes, row in panels:
        _panel(axes, place, row)
    legend_of_marks(figure, marks)
    return figure


def _panel(axes: Axes, place: int, row: RowCells) -> None:
    if not row.measured:
        nothing_measured(axes, row)
        return
    axes.set_xscale("log")
    found = [value for line, cell in enumerate(row.cells) for value in _draw(axes, line, cell)]
    low, high = min(found) / 1.2, max(found) * 1.2
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)
    line_per_column(axes, place, row, lambda cell: f"{ms(cell.step_ms)} ms")
    axes.set_xlabel("ms/step, logarithmic", fontsize=8.5)


def _draw(axes: Axes, line: int, cell: Cell) -> list[float]:
    """Draw the times of a cell that exist; returns them."""
    colour, found = look(cell.column).colour, clocks_ms(cell)
    for name, marker, _ in METHODS:
        if name in found:
            axes.plot(found[name], line, marker, color=colour, **MARKER, zorder=3)
    times = list(found.values())
    if times:
        axes.hlines(line, min(times), max(times), color=RULE, linewidth=2, zorder=1)
    return times


def clocks_ms(cell: Cell) -> dict[str, float]:
    """ms/step by clock, of the runs that were timed by the most of them."""
    by_run = fullest([_of_run(run) for run in cell.ok_runs], dict.keys)
    clocks = by_run[0] if by_run else ()
    return {name: geometric_mean([found[name] for found in by_run]) for name in clocks}


def _of_run(run: Run) -> dict[str, float]:
    return {name: time for name, _, value in METHODS if (time := value(run))}
