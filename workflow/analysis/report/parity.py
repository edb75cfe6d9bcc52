"""Parity cards: what a cell really executed, and what differs between the cells of a row."""

from typing import Any

from analysis.caveats.parity import declared_of
from analysis.comparisons.cards import NO_DIFFERENCE, WORK
from analysis.formats.text import listed, spelled
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.writing.grid import Grid

# order of a parity card: what decides a comparison first
CARD = ("framework_version", "backend", "execution", "compiler", "dtype", "matmul_precision")
CARD += ("attention", "optimizer", "device", "threads", "flush_denormals")


def card_of(cell: Cell) -> list[tuple[str, str]]:
    """The card of a cell, entry by entry; empty when it has none."""
    keys = [key for key in _keys([cell]) if key != "declared"]
    return [(key.replace("_", " "), _agreed(cell, key) + _mark(cell, key)) for key in keys]


def differing(row: RowCells) -> Grid:
    """The entries in which the measured cells of a row differ, also if only some of them report
    one, without those that differ because the framework does.
    """
    lines = []
    for key in (*_keys(row.measured), *WORK):
        values = {cell: _agreed(cell, key) for cell in row.measured}
        if key not in NO_DIFFERENCE and len({*values.values()}) > 1:
            shown = (value + _mark(cell, key) for cell, value in values.items())
            lines.append((key.replace("_", " "), *shown))
    header = ("What ran", *(cell.column.title for cell in row.measured))
    caption = f"{row.row.heading}: what differs between the parity cards"
    return Grid(caption, header, tuple(lines))


def _keys(cells: Any) -> list[str]:
    """Entries that any card of these cells has, in the order of a card."""
    cards = [record.parity for cell in cells for record in cell.records if record.parity]
    return list(dict.fromkeys([*CARD, *(key for card in cards for key in card)])) if cards else []


def _mark(cell: Cell, key: str) -> str:
    """' (declared)' behind the value of an entry that was declared and not read back, else ''."""
    declared = any(key in declared_of(record.parity) for record in cell.records)
    return " (declared)" if declared else ""


def _agreed(cell: Cell, key: str) -> str:
    """The value of all runs of a cell, or all their values."""
    found = [
        getattr(record.work, key, None) if key in WORK else (record.parity or {}).get(key)
        for record in cell.records
    ]
    return listed(list(dict.fromkeys(map(spelled, found))))
