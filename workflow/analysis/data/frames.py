"""The tidy tables that every topic starts from, as pandas DataFrames.

A row of the printed table is named by ROW, a cell by CELL. All frames are in table order: rows as
planned, columns as planned, runs by number. What is not known is missing (NaN or None).

==============  ===============================================================================
frame           a line per
==============  ===============================================================================
``runs``        planned run: its results and every scalar of its record by dotted name, as in
                runs.parquet; ``ok``: whether it counts, ``sitting``: which runs it is paired with
``cells``       cell: time, interval, standing, and what its column is
``ratios``      ordered pair of cells of a row that may be compared: time of ``slower`` over that of
                ``faster``, paired by round; each pair is there both ways round
``operations``  operation in the profile of a run that counts, in ms and times per step
==============  ===============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import pandas as pd

from analysis.data.runs import run_columns
from analysis.results.cells import Cell, cell_ratio
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.rows import RowCells

ROW = ["model", "task", "batch_size"]
CELL = [*ROW, "column"]


@dataclass(frozen=True, eq=False)
class Data:
    """What was planned and measured, as tables; `results` has what no table has yet, `reference`
    what was published (None where nothing asks for it).
    """

    results: Results
    reference: Reference | None = None

    @cached_property
    def cell_of(self) -> dict[tuple[str, str, int, str], Cell]:
        """The cell of each CELL."""
        return {_key(cell): cell for cell in self.results.cells}

    @cached_property
    def recorded(self) -> pd.DataFrame:
        """Every planned run as it is published in runs.csv and runs.parquet."""
        return pd.DataFrame(run_columns(self.results), dtype=object).infer_objects()

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Every planned run, and how it is read here."""
        sittings = pd.Series([run.sitting for _, run in self.results.runs], dtype=object)
        return self.recorded.assign(ok=self.recorded["status"] == "ok", sitting=sittings)

    @cached_property
    def ok_runs(self) -> pd.DataFrame:
        """Runs that count."""
        return self.runs[self.runs["ok"]]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Every cell of the table; times in ms/step."""
        lines = [_cell(row, cell) for row in self.results.rows for cell in row.cells]
        return pd.DataFrame(lines, columns=CELL_COLUMNS)

    @cached_property
    def ratios(self) -> pd.DataFrame:
        """Pairs of cells of a row, with the 95 % interval of the ratio where there is one."""
        lines = [line for row in self.results.rows for line in _ratios(row)]
        return pd.DataFrame(lines, columns=RATIO_COLUMNS)

    @cached_property
    def operations(self) -> pd.DataFrame:
        """Operations of profiled runs that count; see the record's `host_overhead.operations`."""
        lines = [
            {**dict(zip(CELL, _key(cell), strict=True)), "run": run.number, **vars(operation)}
            for cell, run in self.results.runs
            if run.ok and run.record and run.record.host_overhead
            for operation in run.record.host_overhead.operations or ()
        ]
        return pd.DataFrame(lines, columns=None if lines else [*CELL, "run", "name", "ms"])


CELL_COLUMNS = [*CELL, "row_title", "row_label", "column_title", "framework", "family", "plain"]
CELL_COLUMNS += ["accelerator", "stack", "status", "reason", "step_ms", "ci95_low_ms"]
CELL_COLUMNS += ["ci95_high_ms", "standing", "comparable", "tells_nothing", "ok_runs"]


def _key(cell: Cell) -> tuple[str, str, int, str]:
    return (*cell.row.key, cell.column.name)


def _cell(row: RowCells, cell: Cell) -> tuple[Any, ...]:
    column, interval = cell.column, cell.interval if cell.ok_runs else None
    ends = (interval.low, interval.high) if interval else (None, None)
    standing = row.standings.get(column.name)
    return (
        *(*_key(cell), cell.row.title, cell.row.label, column.title, column.framework),
        *(column.family, column.plain, column.accelerator, column.stack, cell.status, cell.reason),
        *(cell.step_ms, *ends, standing and str(standing), cell.comparable),
        *(cell.tells_nothing, len(cell.ok_runs)),
    )


RATIO_COLUMNS = [*ROW, "faster", "slower", "ratio", "ci95_low", "ci95_high", "rounds"]


def _ratios(row: RowCells) -> list[tuple[Any, ...]]:
    """A ratio below 1 says that `faster` is the slower of the two in fact."""
    lines = []
    for faster, slower in permutations(row.measured, 2):
        if found := cell_ratio(slower, faster):
            ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
            names = (faster.column.name, slower.column.name)
            lines.append((*row.row.key, *names, found.value, *ends, found.rounds))
    return lines
