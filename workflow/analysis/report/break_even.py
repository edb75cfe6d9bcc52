"""After how many steps the time until then is the same in two columns of a row, as tables of the
page.
"""

from __future__ import annotations

from analysis.comparisons.break_even import BreakEven, break_evens
from analysis.formats.text import NA
from analysis.report.grid import Grid
from analysis.results.rows import RowCells

HEADER = ("Ahead for good", "Of", "After steps", "At the ends of the interval")
HEADER += ("After steps, import and build included",)


def break_even(row: RowCells) -> Grid:
    """Pairs in which the faster column is behind at first; the others need no table. A column with
    settings of its own is compared with those of its framework alone: break_even.csv has all pairs.
    """
    whole = {_pair(entry): entry.steps for entry in break_evens(row, from_process_start=True)}
    pairs = [entry for entry in break_evens(row) if entry.steps > 1 and _is_shown(entry)]
    lines = tuple(
        (
            *_pair(entry),
            f"{entry.steps:,}",
            _ends(entry),
            f"{whole[_pair(entry)]:,}",
        )
        for entry in pairs
    )
    return Grid("Break-even: when a column that starts later is ahead for good", HEADER, lines)


def _is_shown(entry: BreakEven) -> bool:
    faster, slower = entry.faster.column, entry.slower.column
    return faster.framework == slower.framework or (faster.plain and slower.plain)


def _pair(entry: BreakEven) -> tuple[str, str]:
    return (entry.faster.column.title, entry.slower.column.title)


def _ends(entry: BreakEven) -> str:
    if entry.earliest is None:
        return NA
    latest = f"{entry.latest:,}" if entry.latest is not None else "perhaps never"
    return f"{entry.earliest:,} to {latest}"
