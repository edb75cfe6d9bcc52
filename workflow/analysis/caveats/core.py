"""What a caveat is, and how rules become caveats.

A rule is a function from the tables of all that was measured to what it found (:class:`Found`),
registered by :func:`rule`. Its texts stand under its name in the YAML file beside its module:
`title`, `summary`, what it `changes`, its `severity`, where there is one its `cause` and its
`remedy`, and the `sentence`, a Jinja template over the evidence and the words of what was found;
`where` is the cells, `columns` those with each of the `values` of the evidence.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from heapq import nlargest
from pathlib import Path
from typing import Any

from analysis.data import CELL, Data, cell_key
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.writing.texts import template, texts_of

MOST = 8  # cells that a sentence lists, each with a text of its own
CAUSES = Path(__file__).with_name("causes.yaml")

Rows = Sequence[RowCells]


class Severity(IntEnum):
    """How much a caveat changes what may be concluded; higher is more severe."""

    NOTE = 1  # good to know
    WARNING = 2  # part of a difference may be something else than the framework
    CRITICAL = 3  # numbers are missing, or must not be compared as they stand


class Changes(IntEnum):
    """What a reader may conclude wrongly without the caveat; what matters most is highest."""

    UNTESTED = 1  # nothing is known to be wrong, nor tested
    TIMES = 2  # how long a step takes, though not who is faster
    ELSEWHERE = 3  # what holds beyond this table: other sizes, devices, ways of measuring
    ORDER = 4  # who is faster in a row


@dataclass(frozen=True)
class Caveat:
    """One caveat. No cells means that it holds for the whole report; evidence holds the numbers.
    `answer` is what the measurements say of it in short, where they do, for its group's summary.
    """

    id: str
    severity: Severity
    cells: tuple[Cell, ...]
    evidence: dict[str, Any]
    sentence: str
    answer: str = ""

    @property
    def asks_nothing(self) -> bool:
        """True if it only notes what its rule warns of where there is more of it."""
        return self.severity is Severity.NOTE and RULES[self.id].severity is not Severity.NOTE

    def as_json(self) -> dict[str, Any]:
        """The caveat in the form of workflow/schemas/caveats.schema.json."""
        rule = RULES[self.id]
        return {
            "id": self.id,
            "severity": self.severity.name.lower(),
            "cells": list(map(cell_json, self.cells)),
            "evidence": self.evidence,
            "sentence": self.sentence,
            "title": rule.title,
            "remedy": "" if self.asks_nothing else rule.remedy,
            "cause": rule.read_as.name,
        }


@dataclass(frozen=True)
class Found:
    """What a rule found: cells (None: the whole report; empty: nothing is said), the numbers, what
    else its sentence needs, and its severity where that is not always the same.
    """

    cells: Collection[Cell] | None
    evidence: dict[str, Any]
    words: dict[str, Any] = field(default_factory=dict)
    severity: Severity | None = None
    answer: str = ""


Judge = Callable[[Data], Iterable[Found]]


@dataclass(frozen=True)
class Cause:
    """What a reader has to know once, whatever number of rules shows it: a short title, one
    sentence on what it means, what it changes, and what to do about it (empty: nothing).
    """

    name: str
    title: str
    summary: str
    changes: Changes
    remedy: str = ""


@dataclass(frozen=True, kw_only=True)
class Rule(Cause):
    """A rule, with what all of its caveats have in common. Rules of one `cause` are read as one."""

    judge: Judge
    severity: Severity
    sentence: str
    cause: Cause | None = None

    @property
    def read_as(self) -> Cause:
        """The cause under which its caveats are read: `cause`, or the rule itself."""
        return self.cause or self

    def caveats(self, data: Data) -> Iterable[Caveat]:
        """Yield the caveats that the rule finds in these measurements."""
        for found in self.judge(data):
            if found.cells is None or found.cells:
                yield self._caveat(found, data.results)

    def _caveat(self, found: Found, results: Results) -> Caveat:
        cells = tuple(found.cells or ())
        words = {"plan": results.plan, "cells": cells, **found.evidence, **found.words}
        if "where" in self.sentence and "where" not in words:
            words["where"] = places(cells, rows=results.rows)
        if "values" in words:  # 'fused in Keras 3 (JAX); for-loop in PyTorch (eager)'
            told = (f"{value} in {listed(names)}" for value, names in words["values"].items())
            words["columns"] = "; ".join(told)
        text = template(self.sentence).render(words)
        severity = found.severity or self.severity
        return Caveat(self.name, severity, cells, found.evidence, text, found.answer)


RULES: dict[str, Rule] = {}


def rule(judge: Judge) -> Judge:
    """Register a function as the rule of its name."""
    file = Path(inspect.getfile(judge)).with_suffix(".yaml")
    register(judge.__name__, judge, texts_of(file)[judge.__name__])
    return judge


def register(name: str, judge: Judge, texts: Mapping[str, Any]) -> None:
    """Register a rule with the texts of its entry."""
    read = {
        "changes": Changes[texts["changes"].upper()],
        "severity": Severity[texts["severity"].upper()],
        "cause": _cause(texts["cause"]) if "cause" in texts else None,
    }
    RULES[name] = Rule(name=name, judge=judge, **{**texts, **read})


@cache
def _cause(name: str) -> Cause:
    texts = texts_of(CAUSES)[name]
    return Cause(name, **{**texts, "changes": Changes[texts["changes"].upper()]})


def collect(results: Results, data: Data | None = None) -> list[Caveat]:
    """Return every caveat of the results: most severe first, then what changes more of a
    conclusion, then in the order of the rules and of the table. `data` are their tables, where they
    are made already.
    """
    data = data or Data(results)
    found = [caveat for entry in RULES.values() for caveat in entry.caveats(data)]
    return sorted(found, key=lambda caveat: (-caveat.severity, -RULES[caveat.id].changes))


def caveats_json(caveats: list[Caveat]) -> dict[str, Any]:
    """The content of results/caveats.json."""
    return {
        "schema": "millistep.caveats/4",
        "caveats": [caveat.as_json() for caveat in caveats],
    }


def measured(rows: Rows) -> list[Cell]:
    """Every cell with a number."""
    return [cell for row in rows for cell in row.measured]


def comparable(rows: Rows) -> list[Cell]:
    """Every cell from whose numbers anything may be concluded, for rules that reason from times.
    Rules that tell what happened to a cell read all cells that were measured.
    """
    return [cell for row in rows for cell in row.comparable]


def found_in(cells: Iterable[Cell], look: Callable[[Cell], Any]) -> dict[Cell, Any]:
    """Return what `look` finds in each cell, without the cells in which it finds nothing."""
    return {cell: found for cell in cells if (found := look(cell))}


def by_value(
    cells: Iterable[Cell], values: Callable[[Cell], Iterable[Any]]
) -> dict[Any, list[Cell]]:
    """Return the cells with each value; a cell may have several, or none."""
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        for value in dict.fromkeys(values(cell)):
            groups.setdefault(value, []).append(cell)
    return groups


def titles(groups: Mapping[Any, Iterable[Cell]]) -> dict[Any, list[str]]:
    """Return the titles of the columns of such groups, for evidence."""
    return {value: [cell.column.title for cell in cells] for value, cells in groups.items()}


def name(cell: Cell) -> str:
    """The name of a cell in a sentence: 'BERT fit on Keras 3 (JAX)'."""
    return f"{cell.row.label} on {cell.column.title}"


def cell_json(cell: Cell) -> dict[str, Any]:
    """The names of a cell, as in every frame and file."""
    return dict(zip(CELL, cell_key(cell), strict=True))


def label(cell: Cell) -> str:
    """The key of a cell in evidence: 'bert/fit-b8/keras3-jax'."""
    model, task, batch_size, column = cell_key(cell)
    return f"{model}/{task}-b{batch_size}/{column}"


def labelled(found: Mapping[Cell, Any]) -> dict[str, Any]:
    """A value of each cell by its label, for evidence."""
    return {label(cell): value for cell, value in found.items()}


def readings(found: Mapping[Cell, Any]) -> list[dict[str, Any]]:
    """A value of each cell as records, for evidence."""
    return [{**cell_json(cell), "value": value} for cell, value in found.items()]


def where_and_how_much(
    values: Mapping[Cell, Any],
    spell: Callable[[Any], str] = str,
    *,
    describe: Callable[[Cell], str] | None = None,
    size: Callable[[Any], float] | None = None,
    severity: Severity | None = None,
    **evidence: Any,
) -> Iterable[Found]:
    """Yield a finding for cells with a value each, with all of the values as evidence.

    `where` in the sentence is the cells with their values as `spell` gives them, or with what
    `describe` says of each; of too many cells only those of the largest `size`, which by default is
    the value.
    """
    largest = size or (lambda value: value if isinstance(value, int | float) else 0)
    text = describe or (lambda cell: spell(values[cell]))
    where = places(values, text, lambda cell: largest(values[cell]))
    yield Found(values, {"readings": readings(values), **evidence}, {"where": where}, severity)


def places(
    cells: Iterable[Cell],
    describe: Callable[[Cell], str] | None = None,
    size: Callable[[Cell], float] | None = None,
    rows: Rows = (),
) -> str:
    """Cells in the words of a sentence: 'BERT fit: Keras 3 (JAX) 12 %, PyTorch (eager) 61 %; ...'.

    `describe` gives the text behind each cell. At most MOST such cells are listed, those of the
    largest `size`; evidence has them all. Rows with equal texts are joined. Where `rows` are given,
    'all columns' and 'every cell' abbreviate what they hold.
    """
    every = list(cells)
    if describe:
        largest = nlargest(MOST, every, key=size) if size else every[:MOST]
        shown = [cell for cell in every if cell in largest]
    elif len(every) > 1 and set(every) == set(measured(rows)):
        return "every cell"
    else:
        shown = every
    whole = [set(cells) for row in rows for cells in (row.cells, row.measured) if len(cells) > 1]
    of_rows: dict[str, list[str]] = {}  # labels by text
    for row, group in by_value(shown, lambda cell: [cell.row.label]).items():
        texts = [cell.column.title + (f" {describe(cell)}" if describe else "") for cell in group]
        text = "all columns" if not describe and set(group) in whole else listed(texts)
        of_rows.setdefault(text, []).append(row)
    parts = [f"{listed(labels)}: {text}" for text, labels in of_rows.items()]
    left = len(every) - len(shown)
    return "; ".join(parts + ([f"and {count(left, 'more cell')}"] if left else []))
