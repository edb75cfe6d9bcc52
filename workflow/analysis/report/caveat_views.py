"""Caveats for the templates: few words on the report, everything in the appendix."""

from collections import Counter
from collections.abc import Callable, Sequence

from analysis.caveats import Severity
from analysis.caveats.groups import SHOWN, Group, set_apart
from analysis.formats.text import count
from analysis.results.plan import Column, Row
from analysis.results.results import Results


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
