"""Cells as the table sees them: the plan's cells joined with their records, and what follows from
both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean, median

from analysis.results.canaries import Canaries
from analysis.results.disturbance import disturbance
from analysis.results.machine_card import MachineCard
from analysis.results.plan import Column, Plan, Row
from analysis.results.record import Record
from analysis.results.rule_graph import RuleGraph
from analysis.results.self_test import SelfTest
from analysis.statistics.best_set import Contest, Standing
from analysis.statistics.intervals import (
    MIN_RUNS,
    NS_PER_MS,
    Interval,
    Moderate,
    Ratio,
    as_measured,
    deviation,
    geometric_mean,
    log_t_interval,
    paired_ratio,
    run_mean_ms,
)
from analysis.statistics.steady_state import Steadiness, steadiness, worst
from analysis.statistics.table_scatter import UNKNOWN, Scattered, TableScatter, table_scatter

OK = "ok"
UNSUPPORTED = "unsupported"
STALE = "stale"
NOT_MEASURED = "not measured"
NOT_PLANNED = "not planned"


@dataclass(frozen=True)
class Run:
    """A planned run and what became of it; a stale run keeps its record and never enters a mean."""

    number: int
    position: int
    path: str
    status: str
    reason: str
    record: Record | None
    peak_flops_per_s: float | None = None  # what its machine can do; None where no canary says

    @property
    def ok(self) -> bool:
        return self.status == OK

    @cached_property
    def step_ms(self) -> float | None:
        """Pipelined ms/step, the headline; None unless ok."""
        if not self.ok:
            return None
        return run_mean_ms(self._blocks)

    @cached_property
    def fastest_block_ms(self) -> float | None:
        """ms/step of the fastest block; None unless ok."""
        return min(run_mean_ms([block]) for block in self._blocks) if self.ok else None

    @cached_property
    def steadiness(self) -> Steadiness | None:
        """Whether its steps were steady; None unless ok."""
        return steadiness(self._blocks) if self.ok else None

    @cached_property
    def block_variance(self) -> float | None:
        """Variance of the logarithms of its block means; None unless ok, and below two blocks."""
        blocks = [math.log(run_mean_ms([block])) for block in self._blocks] if self.ok else []
        return deviation(blocks) ** 2 if len(blocks) >= MIN_RUNS else None

    @property
    def _blocks(self) -> list[tuple[int, int]]:
        return [(block.steps, block.elapsed_ns) for block in self.record.timing.blocks]

    @property
    def flops_per_s(self) -> float | None:
        """What its time implies; None unless ok, and where FLOPs are not counted."""
        flops = self.record.work.flops_per_step if self.ok and self.record.work else None
        return flops / (self.step_ms / 1000) if flops else None

    @property
    def claimed_dtype(self) -> str | None:
        """The dtype that was asked for, of a run without a parity card."""
        return None

    @property
    def share_of_peak(self) -> float | None:
        """Implied FLOP/s over those of the machine's best matrix product."""
        if self.flops_per_s is None or self.peak_flops_per_s is None:
            return None
        return self.flops_per_s / self.peak_flops_per_s

    @cached_property
    def synchronised_ms(self) -> float | None:
        """Median ms of a step with a fence after it; None when none was timed."""
        times_ns = self.record.timing.synchronised_ns if self.ok else ()
        return median(times_ns) / NS_PER_MS if times_ns else None

    @property
    def legacy_ms(self) -> float | None:
        """ms/step by the published arithmetic; None when it was not taken."""
        legacy = self.record.timing.legacy if self.ok else None
        return legacy.step_ms if legacy else None


@dataclass(frozen=True, eq=False)  # a cell is itself: it serves as a key
class Cell:
    """A row in a column."""

    row: Row
    column: Column
    unsupported: str | None
    runs: tuple[Run, ...]
    scatter: TableScatter = UNKNOWN  # of the runs of the table that it stands in

    @cached_property
    def ok_runs(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.ok)

    @property
    def records(self) -> tuple[Record, ...]:
        """Records of the runs that count; a published number has none."""
        return tuple(run.record for run in self.ok_runs if run.record)

    @cached_property
    def run_ms(self) -> dict[int, float]:
        """ms/step by round."""
        return {run.number: run.step_ms for run in self.ok_runs}

    @property
    def compared_ms(self) -> dict[int, float]:
        """The same, as ratios take it: nothing of a disturbed cell."""
        return {} if self.disturbed else self.run_ms

    @cached_property
    def step_ms(self) -> float | None:
        """Geometric mean of the run means; None when no run is ok."""
        return geometric_mean(self.run_ms.values()) if self.run_ms else None

    @cached_property
    def interval(self) -> Interval | None:
        """95 % interval of its time, by the scatter of the table's cells; None with one run."""
        moderate = self.scatter.of_cell(self.scattered) if self.comparable else as_measured
        return log_t_interval(list(self.run_ms.values()), moderate)

    @cached_property
    def plain_interval(self) -> Interval | None:
        """The same by its own runs alone."""
        return log_t_interval(list(self.run_ms.values()))

    @cached_property
    def scattered(self) -> Scattered:
        """What the scatter of the table is estimated from."""
        variances = [run.block_variance for run in self.ok_runs if run.block_variance is not None]
        return Scattered(self.run_ms, fmean(variances) if variances else None)

    @cached_property
    def steadiness(self) -> Steadiness | None:
        """That of the run that decides whether the cell is steady; None when no run is ok."""
        return worst([run.steadiness for run in self.ok_runs]) if self.ok_runs else None

    @property
    def steady(self) -> bool:
        """Whether every run was, so that the cell may be called best."""
        return self.steadiness is not None and self.steadiness.steady

    @cached_property
    def disturbed(self) -> str:
        """What else computed beside a run that counts, so much that the time tells nothing; empty
        where nothing did.
        """
        return disturbance(self.records)

    @property
    def comparable(self) -> bool:
        """Whether its time may be compared with others, and called best."""
        return self.steady and not self.disturbed

    @cached_property
    def status(self) -> str:
        """ok when any run is; else what became of the first run that ended, was outdated or is
        missing.
        """
        return self._decisive.status if self._decisive else self._without_runs[0]

    @cached_property
    def reason(self) -> str:
        """Why the cell has no number; empty when it has one."""
        return self._decisive.reason if self._decisive else self._without_runs[1]

    @property
    def _decisive(self) -> Run | None:
        """The run that names the status: one that counts, then one that failed, then stale, then
        missing.
        """
        order = {OK: 0, STALE: 2, NOT_MEASURED: 3}
        return min(self.runs, key=lambda run: order.get(run.status, 1), default=None)

    @property
    def _without_runs(self) -> tuple[str, str]:
        if self.unsupported is None:
            return NOT_PLANNED, "the plan holds no run of this cell"
        return UNSUPPORTED, self.unsupported

    @cached_property
    def lost_runs(self) -> tuple[Run, ...]:
        """Runs that are missing from the mean of a cell that has one."""
        return tuple(run for run in self.runs if not run.ok) if self.ok_runs else ()


@dataclass(frozen=True)
class RowCells:
    """A row of the table with its cells, in the order of the columns."""

    row: Row
    cells: tuple[Cell, ...]

    @cached_property
    def measured(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.ok_runs)

    @cached_property
    def contestants(self) -> tuple[tuple[Cell, ...], ...]:
        """Measured cells that compete: those of each stack of library versions with each other."""
        stacks = dict.fromkeys(cell.column.stack for cell in self.measured)
        return tuple(
            tuple(cell for cell in self.measured if cell.column.stack == stack) for stack in stacks
        )

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """Where every measured column stands among those of its stack, by name; one that was not
        steady, or disturbed, is not compared.
        """
        found = {cell.column.name: Standing.NOT_COMPARED for cell in self.measured}
        for cells in self.contestants:
            found |= contest(cells).standings()
        return found

    @cached_property
    def plain(self) -> tuple[Cell, ...]:
        """Measured cells of frameworks without settings of their own."""
        return tuple(cell for cell in self.measured if cell.column.plain)

    def fastest(self, family: str) -> Cell | None:
        """The cell with the lowest mean among the plain columns of a family: of those that are
        steady, or of all that were measured where none is. A disturbed one never wins.
        """
        cells = [c for c in self.plain if c.column.family == family and not c.disturbed]
        steady = [cell for cell in cells if cell.steady]
        return min(steady or cells, key=lambda cell: cell.step_ms, default=None)


def contest(cells: Iterable[Cell]) -> Contest:
    """The comparable ones among cells of one row."""
    entered = {cell.column.name: cell for cell in cells if cell.comparable}
    return Contest(
        {name: cell.run_ms for name, cell in entered.items()},
        lambda name, base: moderate_ratio(entered[name], entered[base]),
    )


def cell_ratio(cell: Cell, base: Cell) -> Ratio | None:
    """The ratio of the times of two cells of a row, paired by round; None when they share none,
    and where one was disturbed.
    """
    return paired_ratio(cell.compared_ms, base.compared_ms, moderate_ratio(cell, base))


def moderate_ratio(cell: Cell, base: Cell) -> Moderate:
    """By the scatter of the table's pairs, unless one of the two was not steady, or disturbed."""
    if not (cell.comparable and base.comparable):
        return as_measured
    return cell.scatter.of_pair(cell.scattered, base.scattered)


@dataclass(frozen=True)
class Results:
    """All that was planned and measured; `digest` names exactly these bytes of all files.

    `canaries` has, by accelerator, an entry for each that the plan names.
    """

    plan: Plan
    rows: tuple[RowCells, ...]
    digest: str
    canaries: dict[str, Canaries] = field(default_factory=dict)
    machine_card: MachineCard | None = None
    self_test: SelfTest | None = None
    rule_graph: RuleGraph | None = None  # of all rules that made it; None where it was not kept

    @property
    def cells(self) -> Iterator[Cell]:
        """Every cell in table order."""
        return (cell for row in self.rows for cell in row.cells)

    @property
    def runs(self) -> Iterator[tuple[Cell, Run]]:
        """Every planned run in table order."""
        return ((cell, run) for cell in self.cells for run in cell.runs)

    @property
    def peak_source(self) -> str:
        """What the peaks of the runs come from."""
        return "the best matrix product of the canaries"

    @property
    def claimed_peaks(self) -> dict[str, float]:
        """FLOP/s by dtype of the device of runs whose dtype is only claimed; ours are read back."""
        return {}

    @cached_property
    def accelerators(self) -> tuple[str, ...]:
        """What is measured on, in the order of the columns; where no cell can be, what canaries
        are for.
        """
        columns = dict.fromkeys(cell.column for cell in self.cells if cell.runs)
        found = (column.accelerator or self.plan.accelerator for column in columns)
        return tuple(dict.fromkeys(found)) or tuple(self.canaries)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """Records that count, in table order."""
        return tuple(record for cell in self.cells for record in cell.records)


def moderated(results: Results) -> Results:
    """The same results, where every cell knows how much the cells of its table scatter."""
    found = table_scatter(
        {cell.column.name: cell.scattered for cell in row.measured if cell.comparable}
        for row in results.rows
    )
    rows = tuple(
        replace(row, cells=tuple(replace(cell, scatter=found) for cell in row.cells))
        for row in results.rows
    )
    return replace(results, rows=rows)
