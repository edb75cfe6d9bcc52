"""Every block of every run, in order: what a mean hides."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.cells import Cell, Results, RowCells, Run
from analysis.figures.panels import panels, say_empty, tick_labels
from analysis.reference import Reference
from analysis.style import INK, RULE, look
from analysis.text import ms

SLOT = 0.84  # of the width of a column, that its runs share
LEAST_RANGE = 2.0  # per cent; a quiet row is not blown up to look noisy


def blocks(results: Results, reference: Reference) -> Figure:
    """One panel per row: block ms/step relative to the cell's mean, runs side by side, blocks in
    order.
    """
    figure, all_axes = panels(results, height_in=2.7)
    for axes, row in zip(all_axes, results.rows, strict=True):
        _panel(axes, row)
    return figure


def _panel(axes: Axes, row: RowCells) -> None:
    axes.set_title(f"{row.row.title}, batch {row.row.batch_size}")
    axes.set_xlim(-0.5, len(row.cells) - 0.5)
    axes.grid(axis="x", visible=False)
    if not row.measured:
        say_empty(axes, row)
        return
    reach = max(
        [LEAST_RANGE, *(abs(y) for place in enumerate(row.cells) for y in _draw_cell(axes, *place))]
    )
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_ylim(-1.1 * reach, 1.1 * reach)
    axes.set_xticks(range(len(row.cells)), tick_labels(row, lambda cell: f"{ms(cell.step_ms)} ms"))
    axes.set_ylabel("block vs. mean of cell (%)")


def _draw_cell(axes: Axes, place: int, cell: Cell) -> list[float]:
    """Draw a cell's runs in its column; returns the deviations drawn, in per cent."""
    drawn: list[float] = []
    width = SLOT / max(len(cell.ok_runs), 1)
    for index, run in enumerate(cell.ok_runs):
        left = place - SLOT / 2 + index * width
        drawn += _draw_run(axes, cell, run, left, width, filled=index % 2 == 0)
        if index:
            axes.axvline(left, color=RULE, linewidth=0.6)
    return drawn


def _draw_run(
    axes: Axes, cell: Cell, run: Run, left: float, width: float, filled: bool
) -> list[float]:
    """Neighbouring runs alternate between filled and open markers."""
    deviations = [100 * (block.step_ms / cell.step_ms - 1) for block in run.record.timing.blocks]
    count = len(deviations)
    xs = [left + width * (index + 0.5) / count for index in range(count)]
    style = look(cell.framework.name)
    face = style.colour if filled else "none"
    axes.plot(
        xs,
        deviations,
        style.marker,
        color=style.colour,
        markerfacecolor=face,
        markersize=3.6,
        linewidth=0,
    )
    return deviations
