"""Columns of a row whose parity cards differ: what really ran was different.

Where two columns were meant to differ in an entry, by a setting that they have or because one is
the compiled version of the other, that is no caveat of theirs but the subject of an effect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

from analysis.caveats.advantages import ADVANTAGES, HALF, favoured, rank
from analysis.caveats.core import Found, rule
from analysis.comparisons.cards import NO_DIFFERENCE, differing, subject
from analysis.data import Data
from analysis.formats.text import listed, ms, spelled
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells

EXECUTION = ("execution", "compiler")
PRECISION = ("dtype", "matmul_precision", "convolution_precision")
ATTENTION = ("attention", "attention_kernel")  # what the model asks for, what a profiler saw run
# Judged by what a copy or an update costs: caveats/work.py.
ELSEWHERE = ("feeding", "fed_bytes_per_step", "optimizer_update")
OF_FAMILIES = ("model_library",)  # another one for each family of frameworks
NOT_REPORTED = "not reported"
Declared = tuple[tuple[str, tuple[str, ...]], ...]  # entry, columns
Ranks = tuple[float | None, ...]
Partition = tuple[tuple[str, Ranks, tuple[str, ...]], ...]  # value, ranks, columns


@rule
def execution_differs(data: Data) -> Iterator[Found]:
    """One column compiles and another does not: the difference is at least partly that."""
    return _differences(data.results, EXECUTION)


@rule
def precision_differs(data: Data) -> Iterator[Found]:
    """Different precisions are different amounts of work."""
    return _differences(data.results, PRECISION)


@rule
def parity_differs(data: Data) -> Iterator[Found]:
    """Attention, then every other entry of the parity cards, one caveat per entry that differs."""
    known = {*EXECUTION, *PRECISION, *ATTENTION, *NO_DIFFERENCE, *ELSEWHERE, *OF_FAMILIES}
    keys = (key for record in data.results.records for key in record.parity or {})
    for entry in (ATTENTION, *((key,) for key in dict.fromkeys(keys) if key not in known)):
        yield from _differences(data.results, entry)


def _differences(results: Results, keys: tuple[str, ...]) -> Iterator[Found]:
    """One caveat per way in which rows fall apart: rows that differ in the same way share it."""
    same: dict[tuple[Partition, Declared], list[tuple[RowCells, list[Cell]]]] = defaultdict(list)
    for row in results.rows:
        cells = _not_meant(row.measured, keys)
        partition = _partition(cells, keys)
        if sum(value != NOT_REPORTED for value, _, _ in partition) > 1:
            same[partition, _declared(cells, keys)].append((row, cells))
    for (partition, declared), group in same.items():
        values = "; ".join(f"{value} in {listed(list(titles))}" for value, _, titles in partition)
        what = listed([key.replace("_", " ") for key in keys])
        ranks = {value: levels for value, levels, _ in partition if value != NOT_REPORTED}
        levels = _favoured(ranks)
        against = _against(levels, partition, [cells for _, cells in group])
        evidence = {
            "keys": list(keys),
            "what": what,
            "values": {value: list(titles) for value, _, titles in partition},
            "favours": [] if against else levels,
            "declared": dict(declared),
        }
        sentence = (
            f"{listed([row.row.label for row, _ in group])}: {what} {_differ(keys)} between "
            f"columns ({values}), so part of a difference may come from that. "
            f"{_only_declared(declared)}{_advantage(keys[0], levels, against)}"
        )
        cells = [cell for _, of_row in group for cell in of_row]
        yield Found(cells, evidence, {"sentence": sentence})


def _differ(keys: tuple[str, ...]) -> str:
    return "differ" if len(keys) > 1 else "differs"


def _declared(cells: list[Cell], keys: tuple[str, ...]) -> Declared:
    """Which of these entries are not read back, and in which columns."""
    found = {
        key: tuple(
            cell.column.title
            for cell in cells
            if any(key in declared_of(record.parity) for record in cell.records)
        )
        for key in keys
    }
    return tuple((key, titles) for key, titles in found.items() if titles)


def declared_of(card: dict[str, Any] | None) -> list[str]:
    """Names of the entries of a card that are declared, not read back."""
    return ((card or {}).get("declared") or "").split(", ")


def _favoured(ranks: dict[str, Ranks]) -> list[list[str]]:
    """From the fastest down; empty when unknown, or not the same on every accelerator."""
    each = [
        favoured(dict(zip(ranks, levels, strict=True)))
        for levels in zip(*ranks.values(), strict=True)
    ]
    return each[0] if all(found == each[0] for found in each) else []


def _only_declared(declared: Declared) -> str:
    """'The attention of Keras 2 (TensorFlow) is declared, not read back. '"""
    entries = [f"the {key.replace('_', ' ')} of {listed(list(titles))}" for key, titles in declared]
    return f"Declared, not read back: {'; '.join(entries)}. " if entries else ""


def _advantage(key: str, levels: list[list[str]], against: tuple[Cell, Cell] | None) -> str:
    """'It favours jit / xla over eager / none (an eager step ...).', unless times say otherwise."""
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


def _against(
    levels: list[list[str]], partition: Partition, rows: list[list[Cell]]
) -> tuple[Cell, Cell] | None:
    """Of all pairs of a row in which the value that is not favoured took less, the one that shows
    it most; None where the times agree with the order, as far as they may be compared.
    """
    place = {
        title: number
        for value, _, titles in partition
        for number, level in enumerate(levels)
        if value in level
        for title in titles
    }
    pairs = [
        (fast, slow)
        for cells in rows
        for fast, slow in permutations([cell for cell in cells if cell.comparable], 2)
        if fast.step_ms < slow.step_ms
        if place.get(fast.column.title, 0) > place.get(slow.column.title, len(levels))
    ]
    return max(pairs, key=lambda pair: pair[1].step_ms / pair[0].step_ms, default=None)


def _partition(cells: list[Cell], keys: tuple[str, ...]) -> Partition:
    """Values of these keys, each with its ranks, one for each accelerator that the cells were
    measured on, and the columns that report it.
    """
    kinds = sorted({cell.column.accelerator or "" for cell in cells})
    columns: dict[str, list[str]] = defaultdict(list)
    ranks: dict[str, Ranks] = {}
    for cell in cells:
        cards = {
            _card_text(record.parity or {}, keys): record.parity or {} for record in cell.records
        }
        for value, card in cards.items():  # the runs of a cell normally agree
            columns[value].append(cell.column.title)
            ranks[value] = tuple(rank(keys[0], card, kind == "cuda") for kind in kinds)
    return tuple((value, ranks[value], tuple(titles)) for value, titles in columns.items())


def _not_meant(cells: tuple[Cell, ...], keys: tuple[str, ...]) -> list[Cell]:
    """Those that differ from another cell in one of these entries and were not meant to; all of
    them where no two were meant to differ.
    """
    if len({_card_text(r.parity or {}, keys) for cell in cells for r in cell.records}) < 2:
        return list(cells)  # the usual case, without looking at every pair
    pairs = list(combinations(cells, 2))
    meant = {pair: differing(keys, *pair) & subject(*pair) for pair in pairs}
    if not any(meant.values()):
        return list(cells)
    left = {cell for pair in pairs if differing(keys, *pair) - meant[pair] for cell in pair}
    return [cell for cell in cells if cell in left]


def _card_text(card: dict[str, Any], keys: tuple[str, ...]) -> str:
    """'jit / xla', one value where all entries have the same; an entry that is not reported is left
    out.
    """
    if keys == PRECISION and card.get("dtype") in HALF:
        keys = ("dtype",)  # what float32 products would use is of no account then
    reported = [spelled(card[key]) for key in keys if card.get(key) is not None]
    return " / ".join(reported[:1] if len(set(reported)) == 1 else reported) or NOT_REPORTED
