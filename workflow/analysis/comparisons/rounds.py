"""Rows whose best set is undecided: how many more rounds would probably decide it, and their
seconds.
"""

from dataclasses import dataclass
from functools import cached_property

from analysis.results.cells import Cell, contest
from analysis.results.record import Record
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, not_slower
from analysis.statistics.forecast import rounds_to_place
from contract.seconds import of_another_run


@dataclass(frozen=True)
class Undecided:
    """A row with columns that are neither significantly slower nor best or equal (`cells`)."""

    row: RowCells
    cells: tuple[Cell, ...]

    @property
    def rounds(self) -> int:
        """The number of rounds so far."""
        return max(len(cell.run_ms) for cell in self.row.measured)

    @cached_property
    def needed(self) -> int | None:
        """The number of rounds in all after which every column would as likely as not have its
        place; None where no sensible number would do, or a column took less that is not compared.
        """
        if self.row.took_less:
            return None
        contests = [contest(cells) for cells in self.row.contestants if {*cells} & {*self.cells}]
        more = [rounds_to_place(held, sorted(not_slower(held.standings()))) for held in contests]
        return None if not more or None in more else self.rounds + max(more)


def undecided(results: Results) -> list[Undecided]:
    """The undecided rows, in the order of the table; none where there are no intervals."""
    found = []
    for row in results.rows:
        undecided = [name for name, at in row.standings.items() if at is Standing.UNDECIDED]
        if undecided:
            cells = tuple(cell for cell in row.measured if cell.column.name in undecided)
            found.append(Undecided(row, cells))
    return found


def seconds_of_a_round(row: RowCells) -> float:
    """The seconds that one more round of a row takes, by the last run of each cell."""
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
