"""Columns of a row whose parity cards differ: what really ran was different.

Where two columns were meant to differ in an entry, by a setting that they have or because one is
the compiled version of the other, the difference is no caveat but the subject of an effect.
"""

from collections.abc import Iterator
from typing import Any

from analysis.caveats.core import Found, by_value, rule, titles
from analysis.comparisons.cards import NO_DIFFERENCE, unmeant
from analysis.data import Data
from analysis.formats.text import listed, spelled
from analysis.results.cells import Cell

EXECUTION = ("execution", "compiler")
PRECISION = ("dtype", "matmul_precision", "convolution_precision")
HALF = {"bfloat16", "float16"}
ATTENTION = ("attention", "attention_kernel")  # what the model asks for, what a profiler saw run
# Judged by what a copy or an update costs: caveats/work.py.
ELSEWHERE = ("feeding", "fed_bytes_per_step", "optimizer_update")
OF_FAMILIES = ("model_library",)  # a different one for each family of frameworks
NOT_REPORTED = "not reported"
NO_KERNEL = "none seen"  # where others were not looked at: no difference by itself


@rule
def execution_differs(data: Data) -> Iterator[Found]:
    """One column compiles and another does not: the difference is at least partly that."""
    return _differences(data, EXECUTION)


@rule
def precision_differs(data: Data) -> Iterator[Found]:
    """Different precisions are different amounts of work."""
    return _differences(data, PRECISION)


@rule
def parity_differs(data: Data) -> Iterator[Found]:
    """Attention, then every other entry of the parity cards, one caveat per entry that differs."""
    known = {*EXECUTION, *PRECISION, *ATTENTION, *NO_DIFFERENCE, *ELSEWHERE, *OF_FAMILIES}
    keys = (key for record in data.results.records for key in record.parity or {})
    for entry in (ATTENTION, *((key,) for key in dict.fromkeys(keys) if key not in known)):
        yield from _differences(data, entry)


def _differences(data: Data, keys: tuple[str, ...]) -> Iterator[Found]:
    """One caveat per way in which rows fall apart: rows that differ in the same way share it."""
    what = listed([key.replace("_", " ") for key in keys])
    ways: dict[str, tuple[dict[str, Any], list[list[Cell]]]] = {}
    for row in data.results.rows:
        cells = unmeant(row.measured, keys)
        values = by_value(cells, lambda cell: (_said(card, keys) for card in _cards(cell)))
        if len(values.keys() - {NOT_REPORTED}) > 1:
            evidence = {"keys": list(keys), "what": what, "values": titles(values)}
            evidence["declared"] = _declared(cells, keys)
            ways.setdefault(repr(evidence), (evidence, []))[1].append(cells)
    for evidence, rows in ways.values():
        words = {
            "rows": [cells[0].row.label for cells in rows],
            "only_declared": _only_declared(evidence["declared"]),
        }
        yield Found([cell for cells in rows for cell in cells], evidence, words)


def _cards(cell: Cell) -> list[dict[str, Any]]:
    """The parity cards of a cell, one of each run; these normally agree."""
    return [record.parity or {} for record in cell.records]


def _said(card: dict[str, Any], keys: tuple[str, ...]) -> str:
    """The entries of a card as text: 'jit / xla', or one value where all have the same; an entry
    that is not reported is left out.
    """
    if keys == PRECISION and card.get("dtype") in HALF:
        keys = ("dtype",)  # what float32 products would use is of no account then
    reported = [spelled(card[key]) for key in keys if card.get(key) not in (None, NO_KERNEL)]
    return " / ".join(reported[:1] if len(set(reported)) == 1 else reported) or NOT_REPORTED


def declared_of(card: dict[str, Any] | None) -> list[str]:
    """Names of the entries of a card that are declared, not read back."""
    return ((card or {}).get("declared") or "").split(", ")


def _declared(cells: list[Cell], keys: tuple[str, ...]) -> dict[str, list[str]]:
    """The columns in which each of these entries was declared and not read back, by entry."""
    found = titles(by_value(cells, lambda cell: (n for c in _cards(cell) for n in declared_of(c))))
    return {key: found[key] for key in keys if key in found}


def _only_declared(declared: dict[str, list[str]]) -> str:
    """' Declared, not read back: the attention of Keras 2 (TensorFlow).', or no such sentence."""
    entries = [f"the {key.replace('_', ' ')} of {listed(names)}" for key, names in declared.items()]
    return f" Declared, not read back: {'; '.join(entries)}." if entries else ""
