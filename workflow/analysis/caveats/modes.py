"""Cells whose processes fall into two modes."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, places, rule
from analysis.formats.text import ms, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import geometric_mean
from analysis.statistics.modes import modes_of, without_rounds

Found = tuple[float, float, float]  # ms/step of both modes, and the share of runs in the slower


@rule(
    "Processes in two modes",
    "A process is fast or slow from its start to its end; a mean of few is a matter of luck.",
    Changes.ORDER,
    "Add rounds, and find out what differs from process to process.",
)
def two_modes(results: Results) -> Iterator[Caveat]:
    """Cells whose run means lie in two groups far apart."""
    found = {cell: modes for row in results.rows for cell, modes in _of_row(row).items()}
    if found:
        where = places(found, lambda cell: _text(*found[cell]), lambda cell: _apart(*found[cell]))
        sentence = (
            f"Processes fall into two modes ({where}): each keeps to one from start to end, so "
            "that the time of such a cell depends on how many of its runs were of which."
        )
        evidence = {
            label(cell): {"faster_ms": fast, "slower_ms": slow, "share_slower": share}
            for cell, (fast, slow, share) in found.items()
        }
        yield Caveat("two_modes", Severity.WARNING, tuple(found), evidence, sentence)


def _of_row(row: RowCells) -> dict[Cell, Found]:
    cells = {cell.column.name: cell for cell in row.measured if not cell.disturbed}
    rounds = without_rounds({name: cell.run_ms for name, cell in cells.items()})
    found = {}
    for name, logs in rounds.items():
        if modes := modes_of(logs):
            fast, slow = modes.split(list(cells[name].run_ms.values()))
            share = len(slow) / len(logs)
            found[cells[name]] = (geometric_mean(fast), geometric_mean(slow), share)
    return found


def _text(fast: float, slow: float, share: float) -> str:
    return f"{ms(fast)} or {ms(slow)} ms, the slower in {percent(share)} of its runs"


def _apart(fast: float, slow: float, share: float) -> float:
    return slow / fast
