"""What a caveat is, and the list that rules register in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from analysis.cells import Cell, Results, RowCells
from analysis.text import listed


class Severity(IntEnum):
    """How much a caveat changes what may be concluded; higher is more severe."""

    NOTE = 1  # good to know
    WARNING = 2  # part of a difference may be something else than the framework
    CRITICAL = 3  # numbers are missing, or must not be compared as they stand


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
        return {
            "id": self.id,
            "severity": self.severity.name.lower(),
            "cells": [_cell_json(cell) for cell in self.cells],
            "evidence": self.evidence,
            "sentence": self.sentence,
        }


def _cell_json(cell: Cell) -> dict[str, Any]:
    model, task, batch_size = cell.row.key
    return {
        "model": model,
        "task": task,
        "batch_size": batch_size,
        "framework": cell.framework.name,
    }


Rows = Sequence[RowCells]
Rule = Callable[[Results], Iterable[Caveat]]

RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    """Register a rule; its caveats are those that it yields."""
    RULES.append(function)
    return function


def collect(results: Results) -> list[Caveat]:
    """Every caveat of the results, most severe first, then in the order of the rules and of the
    table.
    """
    found = [caveat for function in RULES for caveat in function(results)]
    return sorted(found, key=lambda caveat: -caveat.severity)


def caveats_json(
    caveats: list[Caveat], published: dict[str, list[Caveat]] | None = None
) -> dict[str, Any]:
    """The content of results/caveats.json; `published` are those of the published table, by
    revision.
    """
    return {
        "schema": "millistep.caveats/2",
        "caveats": [caveat.as_json() for caveat in caveats],
        "published": {
            revision: [caveat.as_json() for caveat in found]
            for revision, found in (published or {}).items()
        },
    }


def measured(rows: Rows) -> list[Cell]:
    """Every cell with a number."""
    return [cell for row in rows for cell in row.measured]


def name(cell: Cell) -> str:
    """'BERT fit on Keras 3 (JAX)'."""
    return f"{cell.row.label} on {cell.framework.title}"


def by_row(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    """Cells under the label of their row."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.row.label, []).append(cell)
    return groups


def places(cells: Iterable[Cell], say: Callable[[Cell], str] | None = None) -> str:
    """'BERT fit: Keras 3 (JAX) 12 %, PyTorch (eager) 61 %; BERT predict: ...'."""

    def word(cell: Cell) -> str:
        return f"{cell.framework.title} {say(cell)}" if say else cell.framework.title

    return "; ".join(
        f"{title}: {listed(list(map(word, group)))}" for title, group in by_row(cells).items()
    )


def label(cell: Cell) -> str:
    """The key of a cell in evidence: 'bert/fit-b8/keras3-jax'."""
    model, task, batch_size = cell.row.key
    return f"{model}/{task}-b{batch_size}/{cell.framework.name}"
