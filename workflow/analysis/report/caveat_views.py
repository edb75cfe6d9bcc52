"""Caveats for the templates: few words on the report, everything in the appendix."""

from collections import Counter
from collections.abc import Callable, Sequence

import pandas as pd

from analysis.caveats import Severity
from analysis.caveats.groups import SHOWN, Group, set_apart
from analysis.formats.text import count
from analysis.results.plan import Column, Row
from analysis.results.results import Results
from analysis.writing.grid import Grid

TOUCHED = "\u25cf"
MOST_LINES = 40  # of the table of one caveat; caveats.json has all


def table_of(group: Group) -> Grid | None:
    """The table of a caveat: what each column had, if it is about differing values; else which
    cells it touches, if that is not all of them; else None.
    """
    if any("values" in member.evidence for member in group.members):
        lines = _values(group)
    elif group.cells and not group.everywhere:
        lines = _touched(group)
    else:
        return None
    return Grid.of(lines.fillna("").head(MOST_LINES), f"Caveat {group.letter}")


def _touched(group: Group) -> pd.DataFrame:
    """The rows and columns that a caveat touches."""
    titles = dict.fromkeys(cell.column.title for cell in group.cells)
    lines: dict[str, dict[str, str]] = {}
    for cell in group.cells:
        line = lines.setdefault(cell.row.label, {"Row": cell.row.label})
        line[cell.column.title] = TOUCHED
    return pd.DataFrame(lines.values(), columns=["Row", *titles])


def _values(group: Group) -> pd.DataFrame:
    """A line per entry that differs and the rows that differ in the same way; in it what each
    column had.
    """
    titles = dict.fromkeys(cell.column.title for cell in group.cells)
    lines = []
    for member in group.members:
        if found := member.evidence.get("values"):
            rows = ", ".join(dict.fromkeys(cell.row.label for cell in member.cells))
            had = [" or ".join(v for v, columns in found.items() if t in columns) for t in titles]
            lines.append((f"{member.evidence['what']}: {rows}", *had))
    return pd.DataFrame(lines, columns=["What differs, and where", *titles])


def tally(groups: Sequence[Group]) -> str:
    """The numbers by severity: '3 critical, 10 warnings, 2 notes'."""
    numbers = Counter(group.severity for group in groups)
    plurals = {Severity.CRITICAL: "critical"}
    return ", ".join(
        count(numbers[level], level.name.lower(), plurals.get(level))
        for level in sorted(numbers, reverse=True)
    )


def letters_of(results: Results, groups: Sequence[Group]) -> Callable[[Row, Column], list[Group]]:
    """A function from row and column to the caveats that set this cell apart from its row."""
    apart = [(group, set_apart(group, results)) for group in groups[:SHOWN]]
    found = {
        (cell.row.key, cell.column.name): [group for group, cells in apart if cell in cells]
        for cell in results.cells
    }
    return lambda row, column: found[row.key, column.name]
