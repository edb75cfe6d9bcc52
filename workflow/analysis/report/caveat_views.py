"""Caveats for the templates: the same for ours and for those of the published table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from analysis.caveats import Caveat, Severity
from analysis.caveats.groups import Group, of_cell
from analysis.formats.text import count
from analysis.report.anchors import caveat_anchor
from analysis.results.cells import Cell
from analysis.results.plan import Column, Row
from analysis.results.results import Results
from analysis.tables.html import Mark
from analysis.writing.grid import Grid

MOST_OPEN = 8  # titles; the rest is folded
TOUCHED = "\u25cf"


@dataclass(frozen=True)
class CaveatView:
    """`findings` are the sentences with their numbers, each with its evidence as JSON; `matrix`
    the cells that it touches, where that is not all of them.
    """

    anchor: str
    letter: str
    id: str
    severity: str
    title: str
    summary: str
    remedy: str
    extent: str
    findings: tuple[tuple[str, str], ...]
    matrix: Grid | None


def caveat_views(groups: Sequence[Group], prefix: str = "") -> list[CaveatView]:
    """In the order of the groups; a prefix keeps ids of several lists in one page apart."""
    return [_view(group, prefix) for group in groups]


def _view(group: Group, prefix: str) -> CaveatView:
    return CaveatView(
        caveat_anchor(group.letter, prefix),
        group.letter,
        group.id,
        group.severity.name.lower(),
        group.title,
        group.summary,
        group.remedy,
        group.extent,
        tuple((member.sentence, _evidence(member)) for member in group.members),
        _matrix(group, prefix),
    )


def _evidence(caveat: Caveat) -> str:
    return json.dumps(caveat.evidence, indent=2, ensure_ascii=False)


def _matrix(group: Group, prefix: str) -> Grid | None:
    """Rows and columns that are touched; in their cells what differs, where the evidence says."""
    values = _values(group.members)
    if not group.cells or (group.everywhere and not values):
        return None
    columns = {cell.column.name: cell.column.title for cell in group.cells}
    rows: dict[str, dict[str, str]] = {}
    for cell in group.cells:
        text = values.get(cell, TOUCHED)
        rows.setdefault(cell.row.label, {})[cell.column.name] = text
    caption = f"Cells of {f'{prefix} ' if prefix else ''}caveat {group.letter}"
    return Grid(
        caption,
        ("Row", *columns.values()),
        tuple((label, *(found.get(name, "") for name in columns)) for label, found in rows.items()),
    )


def _values(caveats: Iterable[Caveat]) -> dict[Cell, str]:
    """What each cell has of the values in which columns differ."""
    found: dict[Cell, str] = {}
    for caveat in caveats:
        values = caveat.evidence.get("values", {})
        for cell in caveat.cells if values else ():
            own = [value for value, titles in values.items() if cell.column.title in titles]
            found[cell] = " or ".join(own)
    return found


def tally(groups: Sequence[Group]) -> str:
    """'3 critical, 10 warnings and 2 notes'."""
    numbers = {level: sum(g.severity is level for g in groups) for level in Severity}
    parts = [f"{numbers[Severity.CRITICAL]} critical"] if numbers[Severity.CRITICAL] else []
    parts += [
        count(numbers[level], level.name.lower())
        for level in (Severity.WARNING, Severity.NOTE)
        if numbers[level]
    ]
    return ", ".join(parts)


def letters_of(results: Results, groups: Sequence[Group]) -> Callable[[Row, Column], list[Mark]]:
    """The letters beside a number of the table: of what touches this cell and not all others, and
    is more than a note.
    """
    marking = [g for g in groups if not g.everywhere and g.severity is not Severity.NOTE]
    found = {
        (cell.row.key, cell.column.name): [_mark(g) for g in marking if cell in g.touched]
        for cell in results.cells
    }
    return lambda row, column: found[row.key, column.name]


def marks_of_cell(groups: Sequence[Group], cell: Cell, page: str) -> list[Mark]:
    """All that touch a cell, as links into a page."""
    return [_mark(group, page) for group in of_cell(groups, cell)]


def _mark(group: Group, page: str = "") -> Mark:
    return Mark(group.letter, group.title, f"{page}#{caveat_anchor(group.letter)}")
