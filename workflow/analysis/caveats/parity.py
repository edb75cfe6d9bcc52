"""Columns of a row whose parity cards differ: what really ran was different.

Where two columns were meant to differ in an entry, by a setting that they have or because one is
the compiled version of the other, the difference is no caveat but the subject of an effect.
"""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from analysis.caveats.advantages import ADVANTAGES, HALF, favoured, rank
from analysis.caveats.core import Found, by_value, rule, titles
from analysis.comparisons.cards import NO_DIFFERENCE, unmeant
from analysis.data import Data
from analysis.formats.text import listed, ms, spelled
from analysis.results.cells import Cell

EXECUTION = ("execution", "compiler")
PRECISION = ("dtype", "matmul_precision", "convolution_precision")
ATTENTION = ("attention", "attention_kernel")  # what the model asks for, what a profiler saw run
# Judged by what a copy or an update costs: caveats/work.py.
ELSEWHERE = ("feeding", "fed_bytes_per_step", "optimizer_update")
OF_FAMILIES = ("model_library",)  # a different one for each family of frameworks
NOT_REPORTED = "not reported"

Values = dict[str, list[Cell]]  # cells of a row by what their cards say


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
    ways: dict[str, tuple[dict[str, Any], list[tuple[list[Cell], Values]]]] = {}
    for row in data.results.rows:
        cells = unmeant(row.measured, keys)
        values = by_value(cells, lambda cell: (_said(card, keys) for card in _cards(cell)))
        if len(values.keys() - {NOT_REPORTED}) > 1:
            evidence = {"keys": list(keys), "what": what, "values": titles(values)}
            evidence |= {"favours": _favoured(values, keys), "declared": _declared(cells, keys)}
            ways.setdefault(repr(evidence), (evidence, []))[1].append((cells, values))
    for evidence, rows in ways.values():
        levels, against = evidence["favours"], _against(evidence["favours"], [v for _, v in rows])
        words = {
            "rows": [cells[0].row.label for cells, _ in rows],
            "only_declared": _only_declared(evidence["declared"]),
            "advantage": _advantage(keys[0], levels, against),
        }
        evidence["favours"] = [] if against else levels
        yield Found([cell for cells, _ in rows for cell in cells], evidence, words)


def _cards(cell: Cell) -> list[dict[str, Any]]:
    """The parity cards of a cell, one of each run; these normally agree."""
    return [record.parity or {} for record in cell.records]


def _said(card: dict[str, Any], keys: tuple[str, ...]) -> str:
    """The entries of a card as text: 'jit / xla', or one value where all have the same; an entry
    that is not reported is left out.
    """
    if keys == PRECISION and card.get("dtype") in HALF:
        keys = ("dtype",)  # what float32 products would use is of no account then
    reported = [spelled(card[key]) for key in keys if card.get(key) is not None]
    return " / ".join(reported[:1] if len(set(reported)) == 1 else reported) or NOT_REPORTED


def declared_of(card: dict[str, Any] | None) -> list[str]:
    """Names of the entries of a card that are declared, not read back."""
    return ((card or {}).get("declared") or "").split(", ")


def _declared(cells: list[Cell], keys: tuple[str, ...]) -> dict[str, list[str]]:
    """The columns in which each of these entries was declared and not read back, by entry."""
    found = titles(by_value(cells, lambda cell: (n for c in _cards(cell) for n in declared_of(c))))
    return {key: found[key] for key in keys if key in found}


def _only_declared(declared: dict[str, list[str]]) -> str:
    """'Declared, not read back: the attention of Keras 2 (TensorFlow). ', or no such sentence."""
    entries = [f"the {key.replace('_', ' ')} of {listed(names)}" for key, names in declared.items()]
    return f"Declared, not read back: {'; '.join(entries)}. " if entries else ""


def _favoured(values: Values, keys: tuple[str, ...]) -> list[list[str]]:
    """Values from the fastest down; empty when unknown, or not the same on every accelerator that
    the cells were measured on.
    """
    cards = {_said(c, keys): c for cells in values.values() for cell in cells for c in _cards(cell)}
    cards.pop(NOT_REPORTED, None)
    kinds = {cell.column.accelerator for cells in values.values() for cell in cells}
    found = [
        favoured({value: rank(keys[0], card, kind == "cuda") for value, card in cards.items()})
        for kind in kinds
    ]
    return found[0] if all(levels == found[0] for levels in found) else []


def _advantage(key: str, levels: list[list[str]], against: tuple[Cell, Cell] | None) -> str:
    """A sentence: 'It favours jit / xla over eager / none (...).', unless times say otherwise."""
    if not levels:
        return "It is unknown which column this favours."
    order = f"{' over '.join(map(listed, levels))} ({ADVANTAGES[key][1]})"
    if against is None:
        return f"It favours {order}."
    fast, slow = against
    return (
        f"As a rule that favours {order}, but it does not decide here: {fast.row.label} took "
        f"{ms(fast.step_ms)} ms in {fast.column.title} and {ms(slow.step_ms)} ms in "
        f"{slow.column.title}."
    )


def _against(levels: list[list[str]], rows: list[Values]) -> tuple[Cell, Cell] | None:
    """The pair of a row that contradicts this order most: the value that is not favoured took less
    time. None where the times agree with the order, as far as they may be compared.
    """
    level = {value: number for number, values in enumerate(levels) for value in values}
    pairs = [
        (fast, slow)
        for values in rows
        for other, better in permutations(level.keys() & values.keys(), 2)
        if level[other] > level[better]
        for fast, slow in product(values[other], values[better])
        if fast.comparable and slow.comparable and fast.step_ms < slow.step_ms
    ]
    return max(pairs, key=lambda pair: pair[1].step_ms / pair[0].step_ms, default=None)
