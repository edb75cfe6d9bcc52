"""All that was planned and measured, and what follows from all of it together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from statistics import fmean

from analysis.results.cells import Cell, settled, undisturbed
from analysis.results.machine_card import MachineCard
from analysis.results.plan import Plan
from analysis.results.record import Record
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.results.self_test import SelfTest
from analysis.results.sessions import Session
from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.intervals import run_logs
from analysis.statistics.moderation import UNKNOWN, TableScatter


@dataclass(frozen=True, eq=False)  # one reading of the files: it serves as a key
class Results:
    """All that was planned and measured; `digest` names exactly these bytes of all files.

    Machine cards are by node, None where one is missing.
    """

    plan: Plan
    rows: tuple[RowCells, ...]
    digest: str
    sessions: tuple[Session, ...] = ()  # in the order of the plan's blocks
    machine_cards: dict[str, MachineCard | None] = field(default_factory=dict)
    self_test: SelfTest | None = None

    @property
    def cells(self) -> Iterator[Cell]:
        """Every cell in table order."""
        return (cell for row in self.rows for cell in row.cells)

    @property
    def runs(self) -> Iterator[tuple[Cell, Run]]:
        """Every planned run in table order."""
        return ((cell, run) for cell in self.cells for run in cell.runs)

    @cached_property
    def accelerators(self) -> tuple[str, ...]:
        """The accelerators that are measured on, in the order of the columns; those of the canaries
        where no cell can be measured.
        """
        columns = dict.fromkeys(cell.column for cell in self.cells if cell.runs)
        found = (column.accelerator or self.plan.accelerator for column in columns)
        measured = (kind for session in self.sessions for kind in session.canaries)
        return tuple(dict.fromkeys(found)) or tuple(dict.fromkeys(measured))

    @property
    def cards(self) -> list[MachineCard]:
        """The machine cards that were collected."""
        return [card for card in self.machine_cards.values() if card]

    @cached_property
    def nodes(self) -> set[str]:
        """The nodes on which anything was measured; one without a name where that is not known."""
        return {node for cell in self.cells for node in cell.nodes}

    @cached_property
    def several_stacks(self) -> bool:
        """True if the columns of a row compete on several stacks of library versions."""
        return any(len(row.contestants) > 1 for row in self.rows)

    @property
    def rows_of_page(self) -> tuple[RowCells, ...]:
        """The rows that stand in the published table."""
        return tuple(row for row in self.rows if row.row.published_batch_size is not None)

    def with_cells(self, change: Callable[[Cell], Cell]) -> Results:
        """The same results, with each cell as `change` makes it."""
        rows = (replace(row, cells=tuple(map(change, row.cells))) for row in self.rows)
        return replace(self, rows=tuple(rows))

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """Records that count, in table order."""
        return tuple(record for cell in self.cells for record in cell.records)

    @cached_property
    def all_records(self) -> tuple[Record, ...]:
        """These, and those of runs that do not count, in table order."""
        return tuple(run.record for _, run in self.runs if run.record)


def moderated(results: Results) -> Results:
    """The results without warm-up and disturbed runs, in which every cell knows how much its column
    scatters in the table, and what the rounds that it lacks were like.
    """
    rows = results.with_cells(undisturbed).with_cells(settled).rows
    found = TableScatter(
        [
            {cell.column.name: cell.run_ms for cell in row.measured if cell.comparable}
            for row in rows
        ]
    )
    return replace(results, rows=tuple(_moderated(row, found) for row in rows))


def _moderated(row: RowCells, scatter: TableScatter) -> RowCells:
    runs = {cell.column.name: cell.compared_ms for cell in row.measured}
    means = adjusted_logs(runs)
    lacking = {name: mean - fmean(run_logs(runs[name])) for name, mean in means.items()}
    cells = (
        replace(cell, scatter=scatter, adjustment=lacking.get(cell.column.name, 0.0))
        for cell in row.cells
    )
    return replace(row, cells=tuple(cells))


def correlation_of_starts(results: Results) -> float:
    """The correlation of the log ratios of one start, over the table."""
    return max((cell.scatter.correlation for cell in results.cells), default=0.0)


def has_priors(results: Results) -> bool:
    """True if the scatter of any pair of columns is weighed with that in all rows."""
    scatter = next((cell.scatter for cell in results.cells), UNKNOWN)
    names = sorted({cell.column.name for cell in results.cells if cell.comparable})
    return any(scatter.prior(*pair) for pair in combinations(names, 2))
