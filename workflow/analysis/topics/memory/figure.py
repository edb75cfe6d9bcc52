"""Peak memory of every cell: of the host, of the device by two counts."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, Data, cell_key
from analysis.figures.legends import legend_of_marks
from analysis.figures.panels import MARKER_SIZE, empty, label_panels, line_per_column
from analysis.figures.style import look
from analysis.formats.text import NA, mib
from analysis.results.rows import RowCells

HOST = {"marker": "o", "markersize": MARKER_SIZE}
DEVICE = {"marker": "s", "markersize": MARKER_SIZE + 1, "markerfacecolor": "none"}
DRIVER = {"marker": "|", "markersize": MARKER_SIZE + 4}


PEAKS = {
    "host, resident": (HOST, "memory.peak_rss_mib"),
    "device, by the framework": (DEVICE, "memory.peak_device_mib"),
    "device, by the driver": (DRIVER, "monitor.gpu.process_memory_mib.max"),
}


def memory(data: Data) -> Figure:
    """One panel per row, one line per column, MiB from 0."""
    found = peaks_mib(data)
    marks = {kind: mark for kind, (mark, _) in PEAKS.items() if found[kind].notna().any()}
    if not marks:
        return empty("no run with a time recorded its memory")
    figure, panels = label_panels(data.results, list(marks))
    for place, axes, row in panels:
        _panel(axes, place, row, found)
    legend_of_marks(figure, marks)
    return figure


def peaks_mib(data: Data) -> pd.DataFrame:
    """The highest peak of the runs of a cell, by CELL, a column of each kind."""
    names = {name: kind for kind, (_, name) in PEAKS.items()}
    runs = data.ok_runs.reindex(columns=[*CELL, *names]).astype(dict.fromkeys(names, float))
    return runs.groupby(CELL, sort=False).max().rename(columns=names)


def _panel(axes: Axes, place: int, row: RowCells, found: pd.DataFrame) -> None:
    peaks = {cell: found.loc[cell_key(cell)].dropna() for cell in row.measured}
    for line, cell in enumerate(row.cells):
        for kind, peak in peaks.get(cell, {}).items():
            style = {"linestyle": "", "color": look(cell.column).colour, **PEAKS[kind][0]}
            axes.plot(peak, line, **style)
    highest = max((peak for of_cell in peaks.values() for peak in of_cell), default=0.0)
    axes.set_xlim(0, 1.1 * (highest or 1.0))
    line_per_column(axes, place, row, lambda cell: " + ".join(map(mib, peaks[cell])) or NA)
    axes.set_xlabel("peak, MiB", fontsize=8.5)
