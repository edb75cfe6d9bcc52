"""Rules that look for one reading of each cell beyond a limit, declared in limits.yaml."""

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.caveats.core import Found, register, where_and_how_much
from analysis.data import CELL, Data
from analysis.results.cells import Cell
from analysis.results.runs import Run
from analysis.statistics.intervals import relative_standard_error
from analysis.writing.texts import template, texts_of

DECLARED = Path(__file__).with_suffix(".yaml")
LIMITS = {
    "above": (operator.gt, "max"),
    "at_least": (operator.ge, "max"),
    "below": (operator.lt, "min"),
    "mean_below": (operator.lt, "mean"),
    "mean_at_least": (operator.ge, "mean"),
}


def _block_error(run: Run) -> float | None:
    blocks = run.record.timing.blocks[run.left_out :] if run.record else ()
    return relative_standard_error([block.step_ms for block in blocks])


def _warm_up(run: Run) -> float:
    return run.left_out / max(run.steadiness.blocks, 1)


# Readings for which the table of runs has no column.
OF_RUNS = {"error of the block means": _block_error, "share of blocks that were warm-up": _warm_up}


def reading(data: Data, name: str) -> pd.Series:
    """Return a column of the runs that count, or one over another; without values where no record
    has it.
    """
    if name in OF_RUNS:
        values = [OF_RUNS[name](run) for _, run in data.results.runs if run.ok]
        return pd.Series(values, index=data.ok_runs.index, dtype=float)
    value, _, by = name.partition(" / ")
    found = data.ok_runs.reindex(columns=[value, by]).apply(pd.to_numeric)
    return found[value] / found[by] if by else found[value]


def of_cells(
    data: Data, values: pd.Series, which: str, beyond: Callable[[pd.Series], pd.Series]
) -> dict[Cell, Any]:
    """Return one value of the runs of each cell, the highest (`which`: max) for example, where it
    is `beyond` a limit; runs without one are left out.
    """
    values = values.dropna()
    names = data.ok_runs.loc[values.index, CELL]
    found = values.groupby([names[name] for name in CELL], sort=False).agg(which)
    return data.by_cell(found[beyond(found)])


def _declare(name: str, spell: str, comparable: bool = False, **entry: Any) -> None:
    (kind,) = LIMITS.keys() & entry.keys()
    threshold, asked = entry.pop(kind), entry.pop("reading")
    compare, which = LIMITS[kind]

    def judge(data: Data) -> Iterator[Found]:
        found = of_cells(data, reading(data, asked), which, lambda of: compare(of, threshold))
        return where_and_how_much(
            {cell: value for cell, value in found.items() if cell.comparable or not comparable},
            lambda value: template(spell).render(value=value),
            size=lambda value: -value if compare is operator.lt else value,
            **({"threshold": threshold} if threshold else {}),
        )

    register(name, judge, entry)


for _name, _entry in texts_of(DECLARED).items():
    _declare(_name, **_entry)
