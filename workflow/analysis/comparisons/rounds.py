"""Rows whose best set is undecided: how many more rounds would probably decide it, and their
seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from analysis.results.cells import Cell, contest, moderate_ratio
from analysis.results.record import Record
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Contest, Standing, not_slower
from analysis.statistics.intervals import (
    MARGIN,
    MIN_RUNS,
    paired_logs,
    shared,
    standard_error,
)
from analysis.statistics.power import rounds_to_place
from contract.seconds import of_another_run


@dataclass(frozen=True)
class Undecided:
    """A row with columns that are neither shown slower nor best or equal."""

    row: RowCells

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The undecided ones."""
        standings = self.row.standings
        return tuple(
            cell for cell in self.row.measured if standings[cell.column.name] is Standing.UNDECIDED
        )

    @property
    def rounds(self) -> int:
        """How many there are."""
        return max(len(cell.run_ms) for cell in self.row.measured)

    @cached_property
    def needed(self) -> int | None:
        """After how many rounds in all every column would probably have its place; None where no
        sensible number would do. The ratios are taken for the true ones, and later rounds to
        scatter as these did.
        """
        found = [
            _rounds(cell, rival, len(held.p_values))
            for held, cells in self._contests
            for cell, rival in self._open_pairs(held, cells)
        ]
        if not found or None in found:
            return None
        return max(self.rounds + 1, *found)

    @property
    def _contests(self) -> list[tuple[Contest, tuple[Cell, ...]]]:
        """With what is undecided in them."""
        of_row = [(contest(cells), cells) for cells in self.row.contestants]
        return [(held, cells) for held, cells in of_row if {*cells} & {*self.cells}]

    def _open_pairs(self, held: Contest, cells: tuple[Cell, ...]) -> list[tuple[Cell, Cell]]:
        """What has to be shown: that a column is slower than the fastest, or, where it seems to be
        within the margin, that no rival of those that seem to be is more than that faster.
        """
        kept = not_slower(self.row.standings)
        rivals = [cell for cell in cells if cell.column.name in kept]
        fastest = next(cell for cell in rivals if cell.column.name == held.fastest)
        near = [cell for cell in rivals if fmean(_logs(cell, fastest)) <= math.log1p(MARGIN)]
        return [
            (cell, rival)
            for cell in self.cells
            if cell in cells
            for rival in (near if cell in near else [fastest])
            if rival is not cell and len(_logs(cell, rival)) >= MIN_RUNS
        ]


def undecided(results: Results) -> list[Undecided]:
    """In the order of the table; none where there are no intervals."""
    found = [Undecided(row) for row in results.rows]
    return [each for each in found if each.cells]


def seconds_of_a_round(row: RowCells) -> float:
    """Of one more round of a row, by the last run of each cell."""
    last = [[run.record for run in cell.runs if run.record] for cell in row.cells]
    return sum(_seconds(records[-1]) for records in last if records)


def _seconds(record: Record) -> float:
    timing = record.timing
    if timing is None:
        return record.total_s
    own = record.cell.batch_size
    every_run_ns = [
        *(block.elapsed_ns for block in timing.blocks),
        *timing.synchronised_ns,
        *(probe.elapsed_ns for probe in record.probes if probe.batch_size == own),
    ]
    return of_another_run(record.total_s, timing.timed_s, every_run_ns)


def _logs(cell: Cell, rival: Cell) -> list[float]:
    return paired_logs(cell.run_ms, rival.run_ms)


def _rounds(cell: Cell, rival: Cell, comparisons: int) -> int | None:
    """How many in all; where they lie on several nodes, further ones on further nodes."""
    logs = _logs(cell, rival)
    error, _ = standard_error(logs, moderate_ratio(cell, rival))
    found = rounds_to_place(fmean(logs), error * math.sqrt(len(logs)), comparisons)
    return found and found - len(logs) + len(shared(cell.run_ms, rival.run_ms))
