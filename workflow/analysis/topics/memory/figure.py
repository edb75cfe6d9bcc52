"""Peak memory of every cell: of the host, of the device by two counts."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, Data, cell_key
from analysis.figures.legends import of_marks
from analysis.figures.panels import MARKER_SIZE, column_panels, empty
from analysis.formats.text import NA, mib
from analysis.results.cells import Cell

PEAKS = {
    "memory.peak_rss_mib": "host, resident",
    "memory.peak_device_mib": "device, by the framework",
    "monitor.gpu.process_memory_mib.max": "device, by the driver",
}
MARKS = {
    "host, resident": {"marker": "o", "markersize": MARKER_SIZE},
    "device, by the framework": {"marker": "s", "markersize": 8, "markerfacecolor": "none"},
    "device, by the driver": {"marker": "|", "markersize": 11},
}


def memory(data: Data) -> Figure:
    """One panel per row, one line per column, MiB from 0."""
    found = peaks_mib(data).dropna(axis=1, how="all")
    if found.empty:
        return empty("no run with a time recorded its memory")
    peaks = {key: peak.dropna() for key, peak in found.iterrows()}

    def marks(axes: Axes, line: int, cell: Cell) -> Iterable[float]:
        for kind, peak in peaks[cell_key(cell)].items():
            axes.plot(peak, line, linestyle="", **{"color": cell.column.colour, **MARKS[kind]})
        return peaks[cell_key(cell)]

    def value(cell: Cell) -> str:
        return " + ".join(map(mib, peaks[cell_key(cell)])) or NA

    handles = of_marks({kind: MARKS[kind] for kind in found})
    return column_panels(data, handles, marks, "peak, MiB", value=value)


def peaks_mib(data: Data) -> pd.DataFrame:
    """The highest peak of the runs of a cell, by CELL, a column of each kind."""
    runs = data.ok_runs.reindex(columns=[*CELL, *PEAKS]).astype(dict.fromkeys(PEAKS, float))
    return runs.groupby(CELL, sort=False).max().rename(columns=PEAKS)
