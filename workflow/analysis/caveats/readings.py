"""The worst reading of each cell, from the tables of all runs: what most rules about the machine
look for.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from analysis.data import CELL, Data
from analysis.results.cells import Cell
from analysis.results.runs import Run

Reading = Callable[[pd.DataFrame], pd.Series]


def extreme(
    data: Data, reading: Reading, which: str, limit: Callable[[Any], Any]
) -> dict[Cell, float]:
    """Return the highest (`which`: max) or lowest (min) reading among the runs of each cell that
    count, where `limit` finds it too high or too low; runs without it are left out.
    """
    values = pd.to_numeric(reading(data.ok_runs)).dropna()
    runs = data.ok_runs.loc[values.index]
    found = values.groupby([runs[name] for name in CELL], sort=False).agg(which)
    found = found[limit(found)]
    return {
        data.cell_of[key]: value for key, value in zip(found.index, found.tolist(), strict=True)
    }


def column(runs: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of the table of runs; one without values where no record has it."""
    return runs[name] if name in runs else pd.Series(None, index=runs.index, dtype=float)


def each(data: Data, reading: Callable[[Run], float | None]) -> Reading:
    """Return a reading of what the table of runs has no column for."""
    values = [reading(run) for _, run in data.results.runs if run.ok]
    return lambda runs: pd.Series(values, index=runs.index, dtype=float)
