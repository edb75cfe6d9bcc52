"""Which peaks of device memory can be compared."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, measured, rule
from analysis.formats.text import listed
from analysis.results.results import Results


@rule(
    "Peaks of device memory count different things",
    "Frameworks count their own memory, each from another moment on.",
    Changes.ELSEWHERE,
    "Compare what the driver saw, where the report has it.",
)
def peaks_counted_differently(results: Results) -> Iterator[Caveat]:
    """Each framework has a counter of its own, which starts at another moment."""
    counted: dict[str, dict[str, None]] = {}
    cells = []
    for cell in measured(results.rows):
        kinds = {record.memory.peak_device_counts for record in cell.records} - {None}
        cells += [cell] if kinds else []
        for kind in sorted(kinds):
            counted.setdefault(kind, {})[cell.column.title] = None
    if len(counted) > 1:
        columns = "; ".join(f"{listed(list(titles))}: {kind}" for kind, titles in counted.items())
        sentence = (
            f"Peaks of device memory are the frameworks' own counts, not of the same thing "
            f"({columns})."
        )
        evidence = {"counts": {kind: list(titles) for kind, titles in counted.items()}}
        yield Caveat("peaks_counted_differently", Severity.NOTE, tuple(cells), evidence, sentence)
