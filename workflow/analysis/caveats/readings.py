"""The worst reading of each cell, from the tables of all runs: what most rules about the machine
look for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from analysis.data import CELL, Data
from analysis.results.cells import Cell
from analysis.results.runs import Run

Reading = str | Callable[[pd.DataFrame], pd.Series]


def worst(data: Data, reading: Reading, limit: Callable[[Any], Any]) -> dict[Cell, float]:
    """Return the highest reading among the runs of each cell that count, where `limit` finds it too
    high.

    `reading` is a column of the table of runs, or computes one from them; runs without it are left
    out.
    """
    return _extreme(data, reading, "max", limit)


def fewest(data: Data, reading: Reading, limit: Callable[[Any], Any]) -> dict[Cell, float]:
    """Return the lowest reading of each cell, where `limit` finds it too low."""
    return _extreme(data, reading, "min", limit)


def _extreme(data: Data, reading: Reading, which: str, limit: Callable) -> dict[Cell, float]:
    values = of_runs(data, reading).dropna()
    runs = data.ok_runs.loc[values.index]
    found = values.groupby([runs[name] for name in CELL], sort=False).agg(which)
    found = found[limit(found)]
    return {
        data.cell_of[key]: value for key, value in zip(found.index, found.tolist(), strict=True)
    }


def of_runs(data: Data, reading: Reading) -> pd.Series:
    """Return the reading of every run that counts; missing where no run has it."""
    runs = data.ok_runs
    values = reading(runs) if callable(reading) else column(runs, reading)
    return pd.to_numeric(values)


def column(runs: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of the table of runs; one without values where no record has it."""
    return runs[name] if name in runs else pd.Series(None, index=runs.index, dtype=float)


def each(data: Data, reading: Callable[[Run], float | None]) -> Reading:
    """Return a reading of what the table of runs has no column for."""
    values = [reading(run) for _, run in data.results.runs if run.ok]
    return lambda runs: pd.Series(values, index=runs.index, dtype=float)
