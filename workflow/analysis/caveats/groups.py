"""Caveats as they are read: all that have one cause form one group, with a letter of its own. Also
as files: JSON for programs, Markdown for readers.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from analysis.caveats.core import RULES, Cause, Caveat, Changes, Severity, caveats_json, measured
from analysis.data import Data
from analysis.formats.errors import write_text
from analysis.formats.text import count, letter, markdown, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.statistics.intervals import MIN_RUNS

SHOWN = 15  # in the report; the appendix and caveats.json have all
FIRST = 5  # on the first page
ONE_OF_TEN = 0.1


@dataclass(frozen=True)
class Group:
    """`members` are the caveats as the rules yield them; `cells` are those of more than notes, if
    there are such members; `everywhere` is true if these touch all that was measured, or the report
    as a whole.
    """

    letter: str  # capital: small ones are the tables' footnotes
    cause: Cause
    title: str
    summary: str
    members: tuple[Caveat, ...]
    cells: tuple[Cell, ...]
    everywhere: bool

    @property
    def severity(self) -> Severity:
        return max(member.severity for member in self.members)

    @property
    def remedy(self) -> str:
        """What to do about it; empty: nothing."""
        return "" if all(member.asks_nothing for member in self.members) else self.cause.remedy

    @property
    def decides(self) -> bool:
        """True if somebody would decide otherwise without it."""
        decisive = self.cause.changes in (Changes.ORDER, Changes.ELSEWHERE)
        return decisive and self.severity is not Severity.NOTE

    @property
    def extent(self) -> str:
        """How much it touches: '12 cells', 'every cell' or 'the whole report'."""
        if not self.cells:
            return "the whole report"
        return "every cell" if self.everywhere else count(len(self.cells), "cell")

    @cached_property
    def touched(self) -> frozenset[Cell]:
        """The cells as a set, in which one is found quickly."""
        return frozenset(self.cells)

    def __str__(self) -> str:
        """Title, extent, summary and remedy in one line, without the numbers."""
        remedy = f" To do: {self.remedy}" if self.remedy else ""
        return f"{self.title} ({self.extent}). {self.summary}{remedy}"


def grouped(caveats: Sequence[Caveat], results: Results, data: Data | None = None) -> list[Group]:
    """Return the caveats in groups of one cause each: the most severe first, then those that may
    change most, then those that touch most cells.
    """
    data = data or Data(results)
    found: dict[str, list[Caveat]] = {}
    for caveat in caveats:
        found.setdefault(RULES[caveat.id].read_as.name, []).append(caveat)
    every = set(measured(results.rows))
    groups = [_group(tuple(members), every, data) for members in found.values()]
    whole = len(list(results.cells))

    def rank(group: Group) -> tuple[int, int, int]:
        size = whole if group.everywhere else len(group.cells)
        return (-group.severity, -group.cause.changes, -size)

    ordered = sorted(groups, key=rank)
    return [replace(group, letter=letter(place).upper()) for place, group in enumerate(ordered)]


def _group(members: tuple[Caveat, ...], every: set[Cell], data: Data) -> Group:
    """The group of one cause's caveats; if all are notes, it says no more than their rule."""
    rule = RULES[members[0].id]
    cause = rule.read_as
    noted = all(member.severity is Severity.NOTE for member in members)
    title, summary = cause.title, cause.summary
    if "{}" in title and noted:
        title, summary = rule.title, rule.summary
    elif "{}" in title:
        number, how = smallest_difference(data)
        title, summary = title.format(number), f"{summary} {how}"
    summary = " ".join(filter(None, dict.fromkeys([summary, *(m.answer for m in members)])))
    touching = [m for m in members if noted or m.severity is not Severity.NOTE]
    cells = tuple(dict.fromkeys(cell for member in touching for cell in member.cells))
    everywhere = not all(member.cells for member in touching) or every <= {*cells}
    return Group("", cause, title, summary, members, cells, everywhere)


def of_cell(groups: Sequence[Group], cell: Cell) -> list[Group]:
    """The groups that touch a cell, or everything."""
    return [group for group in groups if group.everywhere or cell in group.touched]


def set_apart(group: Group, results: Results) -> set[Cell]:
    """Return the cells that the group sets apart from most measured cells of their row, in a way
    that may change who is faster there.
    """
    measured_in = {row.row.key: len(row.measured) for row in results.rows}
    found: set[Cell] = set()
    for member in group.members:
        if member.severity is Severity.NOTE or RULES[member.id].changes is not Changes.ORDER:
            continue
        touched = Counter(cell.row.key for cell in member.cells)
        found |= {c for c in member.cells if 2 * touched[c.row.key] <= measured_in[c.row.key]}
    return found


def smallest_difference(data: Data) -> tuple[str, str]:
    """Return which differences mean nothing on this machine, and how that was found: in nine of ten
    pairs of columns, and in half of them, they lie within the 95 % interval of the ratio.
    """
    ends = data.ratios.dropna(subset=["ci95_low", "ci95_high"])
    ends = ends[ends["faster"] < ends["slower"]]  # each pair once
    if ends.empty:
        single = all(len(cell.ok_runs) < MIN_RUNS for cell in data.results.cells)
        why = "single runs show no difference" if single else "no two columns could be compared"
        return why, (
            "How large a difference has to be is not known: no two columns that may be compared "
            "share two rounds."
        )
    reach = np.sqrt((ends["ci95_high"] / ends["ci95_low"]).astype(float)) - 1
    found, half = (percent(reach.quantile(part)) for part in (ONE_OF_TEN, 0.5))
    pairs, told, also = "the one pair", "", ""
    if len(ends) > 1:
        pairs = f"nine of ten of the {len(ends)} pairs"
        told = f"; half of the pairs cannot tell {half}"
        also = f", in half of them than ±{half}"
    return f"differences under {found} between two columns of a row mostly mean nothing{told}", (
        f"In {pairs} of columns the 95 % interval of the ratio is wider than ±{found}{also}; "
        "whether a larger difference means anything, its own interval says."
    )


def write_caveats(caveats: list[Caveat], groups: list[Group], folder: Path) -> None:
    """Write caveats.json and caveats.md."""
    document = json.dumps(caveats_json(caveats), indent=2, sort_keys=True, allow_nan=False)
    write_text(folder / "caveats.json", document + "\n")
    write_text(folder / "caveats.md", to_markdown(groups))


def to_markdown(groups: list[Group]) -> str:
    """A line per group, those that change a conclusion first; below it the findings in numbers."""
    lines = []
    for group in groups:
        lines.append(f"- **{group.severity.name.lower()}** {markdown(str(group))}")
        lines += [f"  - {markdown(member.sentence)}" for member in group.members]
    return "\n".join(lines or ["No caveat applies."]) + "\n"
