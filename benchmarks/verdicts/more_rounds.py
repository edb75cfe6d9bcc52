"""The rounds that the report says would decide a row, against those that did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tables import table
from worlds import COLUMNS, ROWS

from analysis.comparisons.rounds import undecided
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing

MOST_ROUNDS = 100
GRID = (4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)


@dataclass(frozen=True)
class Told:
    """For rows left undecided by some rounds: share that is told that even MOST_ROUNDS would not
    do, median of told rounds (else MOST_ROUNDS) over that of needed ones, share decided by so many.
    """

    never: float
    told_over_truth: float
    decided_by: dict[int, float]


def told(scatter: float, rounds: int, tables: int, generator: np.random.Generator) -> Told:
    """Simulate six equal columns. A row needs the first number of GRID at which it is decided."""
    answers, truths = [], []
    for _ in range(tables):
        logs = scatter * generator.normal(size=(ROWS, COLUMNS, MOST_ROUNDS))
        found = table(logs[..., :rounds])
        open_rows = {entry.row.row.model: entry.needed for entry in undecided(found)}
        left = {model: None for model in open_rows}
        for number in (n for n in GRID if n > rounds):
            if None not in left.values():
                break
            for row in table(logs[..., :number]).rows:
                if left.get(row.row.model, 0) is None and _decided(row):
                    left[row.row.model] = number
        answers += open_rows.values()
        truths += left.values()
    told_rounds, needed = (
        np.array([value or MOST_ROUNDS for value in values], float) for values in (answers, truths)
    )
    decided = {n: float(np.mean([t is not None and t <= n for t in truths])) for n in (30, 40, 60)}
    never = float(np.mean([answer is None for answer in answers]))
    return Told(never, float(np.median(told_rounds) / np.median(needed)), decided)


def _decided(row: RowCells) -> bool:
    return Standing.UNDECIDED not in row.standings.values()
