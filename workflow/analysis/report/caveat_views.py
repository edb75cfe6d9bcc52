"""Caveats for the templates: few words on the report, everything in the appendix."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.caveats import Caveat, Severity
from analysis.caveats.groups import FIRST, SHOWN, Group, of_cell, set_apart
from analysis.formats.text import count
from analysis.report.anchors import caveat_anchor
from analysis.results.cells import Cell
from analysis.results.plan import Column, Row
from analysis.results.results import Results
from analysis.tables.html import Mark
from analysis.writing.grid import Grid

TOUCHED = "\u25cf"
MOST_LINES = 40  # of the table of one caveat; caveats.json has all


@dataclass(frozen=True)
class CaveatView:
    """A group of caveats; its `findings` are the sentences with their numbers, each with its
    evidence as JSON, its `table` what each column had.
    """

    group: Group

    @property
    def anchor(self) -> str:
        return caveat_anchor(self.group.letter)

    @property
    def severity(self) -> str:
        return self.group.severity.name.lower()

    @cached_property
    def findings(self) -> list[tuple[str, str]]:
        return [(member.sentence, _evidence(member)) for member in self.group.members]

    @cached_property
    def table(self) -> Grid | None:
        """What differs, where the caveat is about differing values; else which cells it touches,
        where that is not all of them.
        """
        if any("values" in member.evidence for member in self.group.members):
            return _values(self.group)
        return _cells(self.group) if self.group.cells and not self.group.everywhere else None


def caveat_views(groups: Sequence[Group]) -> list[CaveatView]:
    """All of them, in the order of the groups."""
    return list(map(CaveatView, groups))


def shown(groups: Sequence[Group]) -> list[CaveatView]:
    """Those of the report."""
    return caveat_views(groups[:SHOWN])


def first(groups: Sequence[Group]) -> list[CaveatView]:
    """Those of the first page: somebody would decide otherwise."""
    return caveat_views([group for group in groups[:SHOWN] if group.decides][:FIRST])


def _evidence(caveat: Caveat) -> str:
    return json.dumps(caveat.evidence, indent=2, ensure_ascii=False)


def _cells(group: Group) -> Grid:
    """Rows and columns that are touched."""
    columns = {cell.column.name: cell.column.title for cell in group.cells}
    rows: dict[str, set[str]] = {}
    for cell in group.cells:
        rows.setdefault(cell.row.label, set()).add(cell.column.name)
    lines = [
        (label, *(TOUCHED if name in found else "" for name in columns))
        for label, found in rows.items()
    ]
    return Grid(_caption(group), ("Row", *columns.values()), tuple(lines[:MOST_LINES]))


def _values(group: Group) -> Grid:
    """A line per entry that differs and the rows that differ in the same way; in it what each
    column had.
    """
    titles = list(dict.fromkeys(cell.column.title for cell in group.cells))
    lines = []
    for member in group.members:
        rows = ", ".join(dict.fromkeys(cell.row.label for cell in member.cells))
        found = member.evidence.get("values", {})
        had = [
            " or ".join(value for value, columns in found.items() if title in columns)
            for title in titles
        ]
        if found:
            lines.append((f"{member.evidence['what']}: {rows}", *had))
    return Grid(_caption(group), ("What differs, and where", *titles), tuple(lines[:MOST_LINES]))


def _caption(group: Group) -> str:
    return f"Caveat {group.letter}"


def tally(groups: Sequence[Group]) -> str:
    """'3 critical, 10 warnings, 2 notes'."""
    numbers = {level: sum(g.severity is level for g in groups) for level in Severity}
    parts = [f"{numbers[Severity.CRITICAL]} critical"] if numbers[Severity.CRITICAL] else []
    parts += [
        count(numbers[level], level.name.lower())
        for level in (Severity.WARNING, Severity.NOTE)
        if numbers[level]
    ]
    return ", ".join(parts)


def letters_of(results: Results, groups: Sequence[Group]) -> Callable[[Row, Column], list[Mark]]:
    """The letters beside a number of the table: of what sets this cell apart from its row."""
    apart = [(group, set_apart(group, results)) for group in groups[:SHOWN]]
    found = {
        (cell.row.key, cell.column.name): [_mark(g) for g, cells in apart if cell in cells]
        for cell in results.cells
    }
    return lambda row, column: found[row.key, column.name]


def marks_of_cell(groups: Sequence[Group], cell: Cell) -> list[Mark]:
    """All that touch a cell, as links within the appendix."""
    return list(map(_mark, of_cell(groups, cell)))


def _mark(group: Group) -> Mark:
    return Mark(group.letter, group.title, f"#{caveat_anchor(group.letter)}")
