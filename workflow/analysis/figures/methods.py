"""The same steps by three clocks: pipelined (ours), a fence after every step, and the published
arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from analysis.cells import Cell, Results, RowCells, Run
from analysis.figures.panels import panels, say_empty
from analysis.reference import Reference
from analysis.statistics import geometric_mean
from analysis.style import INK, RULE, look
from analysis.text import ms

METHODS: tuple[tuple[str, str, Callable[[Run], float | None]], ...] = (
    ("pipelined (ours)", "o", lambda run: run.step_ms),
    ("synchronised, median", "|", lambda run: run.synchronised_ms),
    ("published arithmetic", "x", lambda run: run.legacy_ms),
)
MARKER = {"markersize": 9, "markeredgewidth": 1.8, "markerfacecolor": "none"}


def methods(results: Results, reference: Reference) -> Figure:
    """One panel per row; one line per column with the three times on a logarithmic axis."""
    figure, all_axes = panels(results, height_in=2.5)
    for axes, row in zip(all_axes, results.rows, strict=True):
        _panel(axes, row)
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=INK, **MARKER) for _, marker, _ in METHODS
    ]
    figure.legend(handles, [name for name, _, _ in METHODS], loc="outside upper right", ncols=3)
    return figure


def _panel(axes: Axes, row: RowCells) -> None:
    axes.set_title(f"{row.row.title}, batch {row.row.batch_size}")
    axes.grid(axis="y", visible=False)
    if not row.measured:
        say_empty(axes, row)
        return
    axes.set_xscale("log")
    found = [value for place, cell in enumerate(row.cells) for value in _draw(axes, place, cell)]
    axes.set_xlim(min(found) / 1.3, max(found) * 1.3)
    axes.set_yticks(range(len(row.cells)), [_label(cell) for cell in row.cells])
    axes.set_ylim(len(row.cells) - 0.5, -0.5)
    axes.xaxis.set_major_locator(
        LogLocator(subs=(1, 2, 5) if max(found) > 10 * min(found) else (1, 1.5, 2, 3, 4, 5, 7))
    )
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("ms/step, logarithmic")


def _label(cell: Cell) -> str:
    return (
        f"{cell.framework.title}, {ms(cell.step_ms)} ms"
        if cell.ok_runs
        else f"{cell.framework.title}, {cell.status}"
    )


def _draw(axes: Axes, place: int, cell: Cell) -> list[float]:
    """Draw the times of a cell that exist; returns them."""
    colour = look(cell.framework.name).colour
    found = []
    for _, marker, value in METHODS:
        values = [time for run in cell.ok_runs if (time := value(run))]
        if values:
            found.append(geometric_mean(values))
            axes.plot(found[-1], place, marker, color=colour, **MARKER, zorder=3)
    if found:
        axes.hlines(place, min(found), max(found), color=RULE, linewidth=2, zorder=1)
    return found
