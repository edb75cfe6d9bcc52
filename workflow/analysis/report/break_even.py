"""After how many steps the time until then is the same in two columns of a row, as tables of the
page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import fmean

from analysis.comparisons.break_even import BreakEven, break_evens
from analysis.formats.text import NA, listed, seconds
from analysis.report.grid import Grid
from analysis.results.rows import RowCells

HEADER = ("Ahead for good", "Of", "Caches", "After steps", "At the ends of the interval")
HEADER += ("After steps, import and build included",)
CACHES = {"cold": "cold", "warm": "warm", None: "none kept"}
NOT_MEASURED = {"cold": "not measured", "warm": "not measured, needs a second run"}


def break_even(row: RowCells) -> Grid:
    """Pairs in which the faster column is behind at first; the others need no table. A column with
    settings of its own is compared with those of its framework alone: break_even.csv has all pairs.
    """
    both = zip(break_evens(row), break_evens(row, from_process_start=True), strict=True)
    lines = [
        line
        for pair, entries in groupby(both, key=lambda entry: _pair(entry[0]))
        for line in _lines(pair, list(entries))
    ]
    caption = "Break-even: when a column that starts later is ahead for good"
    return Grid(caption + import_of_tensorflow(row), HEADER, tuple(lines))


def import_of_tensorflow(row: RowCells) -> str:
    """What it takes of the import of columns that compute with another library; "" without any."""
    found = {}
    for cell in row.measured:
        known = [record.timing.import_tensorflow_s for record in cell.records]
        if took := [value for value in known if value is not None]:
            found[cell.column.title] = f"{seconds(fmean(took))} s with {cell.column.title}"
    if not found:
        return ""
    whose = "Of the import, TensorFlow's, which Keras' model libraries need on every backend, took "
    return f". {whose}{listed(list(found.values()))}"


def _lines(
    pair: tuple[str, str], entries: Sequence[tuple[BreakEven, BreakEven]]
) -> Iterable[tuple[str, ...]]:
    """One for each of the caches that a pair may start from."""
    if not _is_shown(entries[0][0]) or all((first.steps or 1) == 1 for first, _ in entries):
        return
    for first, whole in entries:
        yield (*pair, CACHES[first.caches], _steps(first), _ends(first), _steps(whole))


def _is_shown(entry: BreakEven) -> bool:
    faster, slower = entry.faster.column, entry.slower.column
    return faster.framework == slower.framework or (faster.plain and slower.plain)


def _pair(entry: BreakEven) -> tuple[str, str]:
    return (entry.faster.column.title, entry.slower.column.title)


def _steps(entry: BreakEven) -> str:
    return NOT_MEASURED[entry.caches or "cold"] if entry.steps is None else f"{entry.steps:,}"


def _ends(entry: BreakEven) -> str:
    if entry.earliest is None:
        return NA
    latest = f"{entry.latest:,}" if entry.latest is not None else "perhaps never"
    return f"{entry.earliest:,} to {latest}"
