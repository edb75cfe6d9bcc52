"""What the difference between a column and the fastest of its row is made of, as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean

from analysis.comparisons.operation_groups import Group
from analysis.comparisons.why import Parts, Spread, Why, why_slower
from analysis.results.results import Results
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("model", "task", "batch_size", "fastest", "column", "standing", "part")
HEADER += ("fastest_ms", "column_ms", "difference_ms", "lowest_ms", "highest_ms")
HEADER += ("same_operations_ms", "other_operations_ms", "fastest_launched", "column_launched")
HEADER += ("rounds",)
STEP, IDLE = "step", "nothing computes"


def why_csv(results: Results) -> str:
    """One line per column and part: the whole step, the time in which nothing computes, and each
    group of operations.

    Means over the rounds that have profiles of both, the differences with the lowest and the
    highest of them.
    """
    found = [why for row in results.rows for why in why_slower(row)]
    return csv_of(HEADER, (list(map(value_text, line)) for why in found for line in _lines(why)))


def _lines(why: Why) -> Iterable[tuple]:
    standing = str(why.row.standings[why.cell.column.name])
    head = (*why.row.row.key, why.fastest.column.name, why.cell.column.name, standing)
    rounds = len(why.rounds)
    step = _means(why, lambda parts: parts.step_ms)
    launched = _means(why, lambda parts: parts.launched)
    yield (*head, STEP, *step, *_ends(why.difference), *_split(why), *launched, rounds)
    idle = _means(why, lambda parts: parts.idle_ms)
    yield (*head, IDLE, *idle, *_ends(why.idle), *[None] * 4, rounds)
    for group, found in why.groups.items():
        times = _means(why, lambda parts, g=group: parts.ms(g))
        launched = _means(why, lambda parts, g=group: sum(o.launched for o in parts.of(g)))
        split = _split(why, group)
        yield (*head, str(group), *times, *_ends(found), *split, *launched, rounds)


def _split(why: Why, *groups: Group) -> tuple[float | None, float | None]:
    """Same and other operations; empty where they are not named alike."""
    same, other = why.same(*groups), why.other(*groups)
    return same and same.mean, other and other.mean


def _means(why: Why, of: Callable[[Parts], float]) -> tuple[float, float]:
    """Of the fastest and of this column."""
    return fmean(of(base) for base, _ in why.rounds), fmean(of(new) for _, new in why.rounds)


def _ends(spread: Spread) -> tuple[float, float, float]:
    return spread.mean, spread.low, spread.high
