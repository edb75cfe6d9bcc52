"""Peak memory of every cell, of the host and of the device."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.cells import Cell, Results, RowCells
from analysis.figures.panels import (
    MARKER_SIZE,
    empty,
    label_margins,
    legend_of_marks,
    line_per_column,
    nothing_measured,
    panels,
    shown,
)
from analysis.reference import Reference
from analysis.style import look
from analysis.text import NA, mib

HOST = {"marker": "o", "markersize": MARKER_SIZE}
DEVICE = {"marker": "s", "markersize": MARKER_SIZE + 1, "markerfacecolor": "none"}


def memory(results: Results, reference: Reference) -> Figure:
    """One panel per row, one line per column, MiB from 0."""
    if not any(peak_mib(cell, name) for cell in results.cells for name in PEAKS):
        return empty("no run with a time recorded its memory")
    figure, all_axes = panels(results.rows, 1.2, label_margins(results))
    for place, (axes, row) in enumerate(zip(all_axes, shown(results.rows), strict=True)):
        _panel(axes, place, row)
    legend_of_marks(figure, {"host, resident": HOST, "device": DEVICE})
    return figure


PEAKS = ("peak_rss_mib", "peak_device_mib")


def peak_mib(cell: Cell, name: str) -> float | None:
    """The highest peak of the runs of a cell; None where none was recorded."""
    peaks = [getattr(record.memory, name) for record in cell.records]
    return max((peak for peak in peaks if peak is not None), default=None)


def _panel(axes: Axes, place: int, row: RowCells) -> None:
    if not row.measured:
        nothing_measured(axes, row)
        return
    highest = 0.0
    for line, cell in enumerate(row.cells):
        colour = look(cell.framework.name).colour
        for name, mark in zip(PEAKS, (HOST, DEVICE), strict=True):
            peak = peak_mib(cell, name)
            if peak is not None:
                axes.plot(peak, line, linestyle="", color=colour, **mark)
                highest = max(highest, peak)
    axes.set_xlim(0, 1.1 * (highest or 1.0))
    line_per_column(axes, place, row, _words)
    axes.set_xlabel("peak, MiB", fontsize=8.5)


def _words(cell: Cell) -> str:
    found = [mib(peak) for name in PEAKS if (peak := peak_mib(cell, name)) is not None]
    return " + ".join(found) or NA
