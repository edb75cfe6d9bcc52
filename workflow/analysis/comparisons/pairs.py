"""Columns that differ in one thing, row by row: what several topics and claims start from.

All ratios are t(base) / t(new), paired by round; above 1 the new column is faster. A verdict is
that of its row alone.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import pandas as pd

from analysis.comparisons.gains import of_new
from analysis.comparisons.questions import questions
from analysis.data import ROW, Data
from analysis.results.cells import Cell, cell_ratio
from analysis.statistics.intervals import Interval, numbers, verdict

QUESTION = ["effect", "question", "setting", "from", "to"]
COLUMNS = [*QUESTION, "base", "new", "base_title", "new_title", *ROW, "label"]
COLUMNS += ["base_ms_per_step", "new_ms_per_step", "speedup", "ci95_low", "ci95_high", "rounds"]
COLUMNS += ["verdict", "missing", "base_cell", "new_cell"]
NUMBERS = ["base_ms_per_step", "new_ms_per_step", "speedup", "ci95_low", "ci95_high"]


@lru_cache(maxsize=2)  # several topics and claims ask for them
def pairs(data: Data) -> pd.DataFrame:
    """Return a line per question, pair of columns that answers it and row, in this order.

    `effect` counts the questions from 1; `setting`, `from` and `to` say what differs. The verdict
    is on the new column, None without an interval. `missing` says why there is no `speedup`.
    `label` names the row; `base_cell` and `new_cell` are the two cells.
    """
    cells = [{cell.column.name: cell for cell in row.cells} for row in data.results.rows]
    lines = [
        (place, question.text, question.setting, question.base, question.new, *_pair(base, new))
        for place, question in enumerate(questions(data.results.plan.columns), start=1)
        for pair in question.pairs
        for base, new in ((row[pair.base.name], row[pair.new.name]) for row in cells)
    ]
    found = pd.DataFrame(lines, columns=COLUMNS)
    return found.astype(dict.fromkeys(NUMBERS, float) | {"rounds": "Int64"})


def interval_of(pair: Any) -> Interval | None:
    """Return the interval of a line; None without two rounds of both."""
    return None if pd.isna(pair.ci95_low) else Interval(pair.ci95_low, pair.ci95_high)


def _pair(base: Cell, new: Cell) -> Iterable[Any]:
    columns, row = (base.column, new.column), base.row
    ratio = cell_ratio(base, new)
    interval = ratio and ratio.interval
    yield from (c.name for c in columns)
    yield from (c.title for c in columns)
    yield from (*row.key, row.label, base.step_ms, new.step_ms)
    yield from numbers(ratio)
    yield str(of_new(verdict(interval))) if interval else None
    yield from (None if ratio else _missing(base, new), base, new)


def _missing(*cells: Cell) -> str:
    """The reason why there is no ratio, as 'Keras 2 (TensorFlow) oom: killed'."""
    reasons = [f"{c.column.title} {c.status}: {c.reason}" for c in cells if not c.ok_runs]
    reasons += [
        f"{c.column.title} is not compared: {c.tells_nothing}"
        for c in cells
        if c.ok_runs and c.tells_nothing
    ]
    return "; ".join(reasons) or "no round that both measured"
