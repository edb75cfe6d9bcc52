"""Which peaks of device memory can be compared."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, frame_rule
from analysis.data import CELL, Data
from analysis.formats.text import listed

COUNTS = "memory.peak_device_counts"  # what the framework's own counter counts, in words


@frame_rule(
    "Peaks of device memory count different things",
    "Frameworks count their own memory, each from another moment on.",
    Changes.ELSEWHERE,
    "Compare what the driver saw, where the report has it.",
)
def peaks_counted_differently(data: Data) -> Iterator[Caveat]:
    """Each framework has a counter of its own, which starts at another moment."""
    runs = data.ok_runs.reindex(columns=[*CELL, COUNTS]).dropna()
    keys = runs[CELL].itertuples(index=False, name=None)
    counted: dict[str, dict[str, None]] = {}
    cells = {}
    for key, kind in zip(keys, runs[COUNTS], strict=True):
        cells[key] = cell = data.cell_of[key]
        counted.setdefault(kind, {})[cell.column.title] = None
    if len(counted) > 1:
        columns = "; ".join(f"{listed(list(titles))}: {kind}" for kind, titles in counted.items())
        sentence = (
            f"Peaks of device memory are the frameworks' own counts, not of the same thing "
            f"({columns})."
        )
        evidence = {"counts": {kind: list(titles) for kind, titles in counted.items()}}
        yield Caveat(
            "peaks_counted_differently", Severity.NOTE, tuple(cells.values()), evidence, sentence
        )
