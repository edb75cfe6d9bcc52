"""Peak memory of every cell: of the host, of the device by two counts."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.legends import legend_of_marks
from analysis.figures.panels import (
    MARKER_SIZE,
    empty,
    label_panels,
    line_per_column,
    nothing_measured,
)
from analysis.figures.style import look
from analysis.formats.text import NA, mib
from analysis.results.cells import Cell
from analysis.results.record import Record
from analysis.results.rows import RowCells

HOST = {"marker": "o", "markersize": MARKER_SIZE}
DEVICE = {"marker": "s", "markersize": MARKER_SIZE + 1, "markerfacecolor": "none"}
DRIVER = {"marker": "|", "markersize": MARKER_SIZE + 4}


def memory(data: Data) -> Figure:
    """One panel per row, one line per column, MiB from 0."""
    results = data.results
    shown_peaks = [
        (kind, mark)
        for kind, (mark, read) in PEAKS.items()
        if any(peak_mib(cell, read) for cell in results.cells)
    ]
    if not shown_peaks:
        return empty("no run with a time recorded its memory")
    marks = dict(shown_peaks)
    figure, panels = label_panels(results, list(marks))
    for place, axes, row in panels:
        _panel(axes, place, row)
    legend_of_marks(figure, marks)
    return figure


PEAKS = {
    "host, resident": (HOST, lambda record: record.memory.peak_rss_mib),
    "device, by the framework": (DEVICE, lambda record: record.memory.peak_device_mib),
    "device, by the driver": (DRIVER, lambda record: record.driver_device_mib),
}


def peak_mib(cell: Cell, read: Callable[[Record], float | None]) -> float | None:
    """The highest peak of the runs of a cell; None where none was recorded."""
    peaks = [read(record) for record in cell.records]
    return max((peak for peak in peaks if peak is not None), default=None)


def _panel(axes: Axes, place: int, row: RowCells) -> None:
    if not row.measured:
        nothing_measured(axes, row)
        return
    highest = 0.0
    for line, cell in enumerate(row.cells):
        colour = look(cell.column).colour
        for mark, read in PEAKS.values():
            peak = peak_mib(cell, read)
            if peak is not None:
                axes.plot(peak, line, linestyle="", color=colour, **mark)
                highest = max(highest, peak)
    axes.set_xlim(0, 1.1 * (highest or 1.0))
    line_per_column(axes, place, row, _peaks)
    axes.set_xlabel("peak, MiB", fontsize=8.5)


def _peaks(cell: Cell) -> str:
    peaks = [peak_mib(cell, read) for _, read in PEAKS.values()]
    found = [mib(peak) for peak in peaks if peak is not None]
    return " + ".join(found) or NA
