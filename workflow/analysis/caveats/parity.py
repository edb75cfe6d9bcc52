"""Columns of a row whose parity cards differ: what really ran was not the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from analysis.caveats.core import Caveat, Rows, Severity, measured, rule
from analysis.cells import Cell, Results, RowCells
from analysis.text import listed, spelled

EXECUTION = ("execution", "compiler")
PRECISION = ("dtype", "matmul_precision")
# Differ between frameworks by definition, or repeat what `execution` says.
NO_DIFFERENCE = ("framework_version", "backend", "jit_compile")
NOT_REPORTED = "not reported"
Partition = tuple[tuple[str, tuple[str, ...]], ...]


@rule
def execution_differs(results: Results) -> Iterator[Caveat]:
    """One column compiles and another does not: the difference is at least partly that."""
    yield from _differences(results.rows, EXECUTION, "execution_differs", Severity.CRITICAL)


@rule
def precision_differs(results: Results) -> Iterator[Caveat]:
    """Different precisions are different amounts of work."""
    yield from _differences(results.rows, PRECISION, "precision_differs", Severity.CRITICAL)


@rule
def parity_differs(results: Results) -> Iterator[Caveat]:
    """Every other entry of the parity cards, one caveat per entry that differs."""
    known = {*EXECUTION, *PRECISION, *NO_DIFFERENCE}
    cards = [record.parity or {} for cell in measured(results.rows) for record in cell.records]
    for key in dict.fromkeys(key for card in cards for key in card if key not in known):
        yield from _differences(results.rows, (key,), "parity_differs", Severity.WARNING)


def _differences(
    rows: Rows, keys: tuple[str, ...], caveat_id: str, severity: Severity
) -> Iterator[Caveat]:
    """One caveat per way in which rows fall apart: rows that differ in the same way share it."""
    same: dict[Partition, list[RowCells]] = defaultdict(list)
    for row in rows:
        partition = _partition(row, keys)
        if sum(value != NOT_REPORTED for value, _ in partition) > 1:
            same[partition].append(row)
    for partition, group in same.items():
        values = "; ".join(f"{value} in {listed(list(titles))}" for value, titles in partition)
        what = " and ".join(key.replace("_", " ") for key in keys)
        yield Caveat(
            caveat_id,
            severity,
            tuple(cell for row in group for cell in row.measured),
            {"keys": list(keys), "values": {value: list(titles) for value, titles in partition}},
            f"{listed([row.row.label for row in group])}: {what} not the same in every column "
            f"({values}), so part of a difference may come from that.",
        )


def _partition(row: RowCells, keys: tuple[str, ...]) -> Partition:
    """Values of these keys, each with the columns that report it."""
    groups: dict[str, list[str]] = defaultdict(list)
    for cell in row.measured:
        for value in _values(cell, keys):
            groups[value].append(cell.framework.title)
    return tuple((value, tuple(titles)) for value, titles in groups.items())


def _values(cell: Cell, keys: tuple[str, ...]) -> list[str]:
    """What the runs of a cell report; normally they agree."""
    cards = [record.parity or {} for record in cell.records]
    return list(dict.fromkeys(_words(card, keys) for card in cards))


def _words(card: dict[str, Any], keys: tuple[str, ...]) -> str:
    """'jit / xla'; an entry that a framework does not report is no value."""
    reported = [spelled(card[key]) for key in keys if card.get(key) is not None]
    return " / ".join(dict.fromkeys(reported)) or NOT_REPORTED
