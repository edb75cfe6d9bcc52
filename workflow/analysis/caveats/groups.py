"""Caveats as they are read: those of one rule and one title are one, with a letter of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from analysis.caveats.core import RULES, Caveat, Severity, measured
from analysis.formats.text import count, letter
from analysis.results.cells import Cell
from analysis.results.results import Results


@dataclass(frozen=True)
class Group:
    """`members` are the caveats as the rule yields them; `everywhere` whether they touch all that
    was measured, or the report as a whole.
    """

    letter: str  # capital: small ones are the tables' footnotes
    title: str
    members: tuple[Caveat, ...]
    cells: tuple[Cell, ...]
    everywhere: bool

    @property
    def id(self) -> str:
        return self.members[0].id

    @property
    def severity(self) -> Severity:
        return max(member.severity for member in self.members)

    @property
    def summary(self) -> str:
        """One sentence that is true of all members."""
        return RULES[self.id].summary

    @property
    def remedy(self) -> str:
        """What to do about it; empty: nothing."""
        return RULES[self.id].remedy

    @property
    def extent(self) -> str:
        """'12 cells', 'every cell' or 'the whole report'."""
        if not self.cells:
            return "the whole report"
        return "every cell" if self.everywhere else count(len(self.cells), "cell")

    @cached_property
    def touched(self) -> frozenset[Cell]:
        """The cells, to be asked for one of them."""
        return frozenset(self.cells)

    def __str__(self) -> str:
        """All in one line, without the numbers."""
        remedy = f" To do: {self.remedy}" if self.remedy else ""
        return f"{self.title} ({self.extent}). {self.summary}{remedy}"


def grouped(caveats: Sequence[Caveat], results: Results) -> list[Group]:
    """What changes a conclusion first: by severity, by what may change, then by how many cells it
    touches.
    """
    found: dict[tuple[str, str], list[Caveat]] = {}
    for caveat in caveats:
        found.setdefault((caveat.id, caveat.title or RULES[caveat.id].title), []).append(caveat)
    every = set(measured(results.rows))
    whole = len(list(results.cells))
    groups = []
    for (_, title), members in found.items():
        cells = tuple(dict.fromkeys(cell for member in members for cell in member.cells))
        groups.append(Group("", title, tuple(members), cells, not cells or every <= {*cells}))

    def rank(group: Group) -> tuple[int, int, int]:
        size = whole if group.everywhere else len(group.cells)
        return (-group.severity, -RULES[group.id].changes, -size)

    ordered = sorted(groups, key=rank)
    return [replace(group, letter=letter(place).upper()) for place, group in enumerate(ordered)]


def of_cell(groups: Sequence[Group], cell: Cell) -> list[Group]:
    """Those that touch a cell, or everything."""
    return [group for group in groups if not group.cells or cell in group.touched]
