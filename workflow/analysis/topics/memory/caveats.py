"""Peaks of device memory that cannot be compared."""

from collections.abc import Iterator

from analysis.caveats.core import Found, rule
from analysis.data import CELL, Data

COUNTS = "memory.peak_device_counts"  # what the framework's own counter counts, in words


@rule
def peaks_counted_differently(data: Data) -> Iterator[Found]:
    """Each framework has a counter of its own, which starts at another moment."""
    runs = data.ok_runs.reindex(columns=[*CELL, COUNTS]).dropna()
    cells = [data.cell_of[key] for key in runs[CELL].itertuples(index=False, name=None)]
    counted = runs.assign(title=[cell.column.title for cell in cells]).groupby(COUNTS, sort=False)
    counts = {kind: list(dict.fromkeys(titles)) for kind, titles in counted["title"]}
    if len(counts) > 1:
        yield Found(dict.fromkeys(cells), {"counts": counts})
