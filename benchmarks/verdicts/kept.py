"""Measured noise: the kept runs of a table, permuted so that no column is faster than another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tables import table

from analysis.results.loading import load_results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing

MOST_COLUMNS = 6


def false_slower(plan: Path, rounds: int, tables: int, generator: np.random.Generator) -> float:
    """Share of rows in which a column is significantly slower. In each round of a row its columns
    exchange their deviations from their own means: so all are equally fast, and as noisy as the
    machine was.
    """
    rows = [kept for row in load_results(plan).rows if (kept := _kept(row, rounds)) is not None]
    found: list[bool] = []
    for _ in range(tables):
        logs = np.array([_exchanged(kept, generator) for kept in rows])
        standings = (row.standings.values() for row in table(logs).rows)
        found += [Standing.SLOWER in each for each in standings]
    return float(np.mean(found))


def _kept(row: RowCells, rounds: int) -> np.ndarray | None:
    """Logarithms over the mean of each column, columns x rounds, for the first rounds; None if
    fewer than two columns have as many.
    """
    of_columns = [
        [math.log(ms) for ms in cell.run_ms.values()][:rounds]
        for cell in row.measured
        if cell.comparable and len(cell.run_ms) >= rounds
    ]
    if len(of_columns) < 2:
        return None
    logs = np.array(of_columns[:MOST_COLUMNS])
    return (logs - logs.mean(axis=1, keepdims=True)) * math.sqrt(rounds / (rounds - 1))


def _exchanged(kept: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The logarithms, exchanged among columns in each round; missing columns are not a number."""
    missing = np.full((MOST_COLUMNS - len(kept), kept.shape[1]), np.nan)
    return np.vstack([generator.permuted(kept, axis=0), missing])


def most_rounds(plan: Path) -> Iterator[int]:
    """Those of 3, 5 and 10 rounds that the table has."""
    has = max(len(cell.run_ms) for cell in load_results(plan).cells)
    return (rounds for rounds in (3, 5, 10) if rounds <= has)
