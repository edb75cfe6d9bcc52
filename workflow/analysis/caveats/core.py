"""What a caveat is, and the list that rules register in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import wraps
from heapq import nlargest
from typing import Any

from analysis.data import Data
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells


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
    """One caveat. No cells means that it holds for the whole report; evidence holds the numbers."""

    id: str
    severity: Severity
    cells: tuple[Cell, ...]
    evidence: dict[str, Any]
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """As in workflow/schemas/caveats.schema.json."""
        rule = RULES[self.id]
        return {
            "id": self.id,
            "severity": self.severity.name.lower(),
            "cells": list(map(cell_json, self.cells)),
            "evidence": self.evidence,
            "sentence": self.sentence,
            "title": rule.title,
            "remedy": rule.remedy,
            "cause": rule.cause.name if rule.cause else self.id,
        }


def cell_json(cell: Cell) -> dict[str, Any]:
    """The names of a cell, as in every frame and file."""
    model, task, batch_size = cell.row.key
    return {
        "model": model,
        "task": task,
        "batch_size": batch_size,
        "column": cell.column.name,
    }


MOST = 8  # cells that a sentence lists, each with a text of its own

Rows = Sequence[RowCells]
Judge = Callable[[Data], Iterable[Caveat]]
FromResults = Callable[[Results], Iterable[Caveat]]


@dataclass(frozen=True)
class Cause:
    """What a reader has to know once, whatever number of rules shows it: a short title, one
    sentence on what it means, what it changes, and what to do about it (empty: nothing).

    `number` gives what stands in the braces of the title, from the measurements, and how it was
    found.
    """

    name: str
    title: str
    summary: str
    changes: Changes
    remedy: str = ""
    number: Callable[[Data], tuple[str, str]] | None = None


@dataclass(frozen=True)
class Rule:
    """A function that yields caveats of its name, and what is true of all of them. Those of one
    `cause` are read as one.
    """

    judge: Judge
    title: str
    summary: str
    changes: Changes
    remedy: str
    cause: Cause | None

    def read_as(self, name: str) -> Cause:
        """The cause, or the rule as the cause of its own."""
        return self.cause or Cause(name, self.title, self.summary, self.changes, self.remedy)


RULES: dict[str, Rule] = {}


def frame_rule(
    title: str, summary: str, changes: Changes, remedy: str = "", cause: Cause | None = None
) -> Callable[[Judge], Judge]:
    """Register a function from the tables of all that was measured as the rule of its name."""

    def register(judge: Judge) -> Judge:
        RULES[judge.__name__] = Rule(judge, title, summary, changes, remedy, cause)
        return judge

    return register


def rule(*texts: Any, **more: Any) -> Callable[[FromResults], FromResults]:
    """Register a function from the results as the rule of its name, as :func:`frame_rule` does."""

    def register(judge: FromResults) -> FromResults:
        frame_rule(*texts, **more)(wraps(judge)(lambda data: judge(data.results)))
        return judge

    return register


def collect(results: Results, data: Data | None = None) -> list[Caveat]:
    """Return every caveat of the results: most severe first, then what changes more of a
    conclusion, then in the order of the rules and of the table. `data` are their tables, where they
    are made already.
    """
    data = data or Data(results)
    found = [caveat for entry in RULES.values() for caveat in entry.judge(data)]
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
    """Every cell from whose numbers anything may be concluded: what rules that reason from times
    read. Those that tell what happened to a cell read all that were measured.
    """
    return [cell for row in rows for cell in row.comparable]


def name(cell: Cell) -> str:
    """'BERT fit on Keras 3 (JAX)'."""
    return f"{cell.row.label} on {cell.column.title}"


def where_and_how_much(
    rule_name: str,
    found: Mapping[Cell, Any],
    sentence: str,
    spell: Callable[[Any], str] = str,
    *,
    severity: Severity = Severity.WARNING,
    describe: Callable[[Cell], str] | None = None,
    size: Callable[[Any], float] | None = None,
    **evidence: Any,
) -> Iterable[Caveat]:
    """Yield one caveat about cells with a value each; none where there are none.

    `{where}` in the sentence becomes the cells with their values as `spell` gives them, or with
    what `describe` says of each: those of the largest `size`, by default of the value, where they
    are too many. The evidence has all.
    """
    if found:
        largest = size or (lambda value: value if isinstance(value, int | float) else 0)
        text = describe or (lambda cell: spell(found[cell]))
        where = places(found, text, lambda cell: largest(found[cell]))
        content = {"readings": readings(found), **evidence}
        told = sentence.replace("{where}", where)
        yield Caveat(rule_name, severity, tuple(found), content, told)


def readings(found: Mapping[Cell, Any]) -> list[dict[str, Any]]:
    """A value of each cell as records, for evidence."""
    return [{**cell_json(cell), "value": value} for cell, value in found.items()]


def places(
    cells: Iterable[Cell],
    describe: Callable[[Cell], str] | None = None,
    size: Callable[[Cell], float] | None = None,
    rows: Rows = (),
) -> str:
    """'BERT fit: Keras 3 (JAX) 12 %, PyTorch (eager) 61 %; BERT predict: ...'.

    `describe` gives the text behind each cell. At most MOST such cells are listed, those of the
    largest `size`; evidence has them all. Rows with equal texts are joined. Where `rows` are given,
    'all columns' and 'every cell' abbreviate what they hold.
    """
    every = list(cells)
    shown = (
        set(nlargest(MOST, every, key=size) if size else every[:MOST]) if describe else set(every)
    )
    if not describe and len(every) > 1 and set(every) == set(measured(rows)):
        return "every cell"
    columns = {row.row.label: (set(row.cells), set(row.measured)) for row in rows}
    groups: dict[str, list[Cell]] = {}
    for cell in every:
        if cell in shown:
            groups.setdefault(cell.row.label, []).append(cell)
    labels: dict[str, list[str]] = {}
    for title, group in groups.items():
        texts = [f"{c.column.title} {describe(c)}" if describe else c.column.title for c in group]
        whole = not describe and len(group) > 1 and set(group) in columns.get(title, ())
        labels.setdefault("all columns" if whole else listed(texts), []).append(title)
    left = len(every) - len(shown)
    parts = [f"{listed(titles)}: {texts}" for texts, titles in labels.items()]
    return "; ".join(parts + ([f"and {count(left, 'more cell')}"] if left else []))


def label(cell: Cell) -> str:
    """The key of a cell in evidence: 'bert/fit-b8/keras3-jax'."""
    model, task, batch_size = cell.row.key
    return f"{model}/{task}-b{batch_size}/{cell.column.name}"
