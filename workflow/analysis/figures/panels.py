"""One panel per row of the table, and what a panel shows when there is nothing to show."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.cells import Cell, Results, RowCells

WIDTH_IN = 9.0


def panels(results: Results, height_in: float) -> tuple[Figure, list[Axes]]:
    """A figure with one panel per row of the plan, from top to bottom."""
    number = max(len(results.rows), 1)
    figure = Figure(figsize=(WIDTH_IN, height_in * number))
    return figure, list(figure.subplots(number, 1, squeeze=False)[: len(results.rows), 0])


def tick_labels(row: RowCells, value: Callable[[Cell], str]) -> list[str]:
    """The columns under a panel: title on two lines, then the value, or the status of a cell
    without one.
    """
    return [
        f"{cell.framework.title.replace(' (', chr(10) + '(')}\n{_value(cell, value)}"
        for cell in row.cells
    ]


def _value(cell: Cell, value: Callable[[Cell], str]) -> str:
    return value(cell) if cell.ok_runs else cell.status


def say_empty(axes: Axes, row: RowCells) -> None:
    """Say in the panel why nothing is drawn."""
    words = "\n".join(f"{cell.framework.title}: {cell.status}" for cell in row.cells)
    axes.text(
        0.5,
        0.5,
        f"nothing measured\n{words}",
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=8.5,
    )
    axes.set_xticks([])
    axes.set_yticks([])
