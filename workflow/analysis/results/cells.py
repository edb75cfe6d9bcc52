"""A cell as the table sees it: its runs joined with their records, and how two of a row compare."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from analysis.results.plan import Column, Row
from analysis.results.record import Record
from analysis.results.runs import NOT_MEASURED, NOT_PLANNED, OK, STALE, UNSUPPORTED, Run
from analysis.statistics.best_set import Contest
from analysis.statistics.intervals import (
    MIN_RUNS,
    Interval,
    Moderate,
    Ratio,
    Sitting,
    as_measured,
    geometric_mean,
    log_t_interval,
    nodes_of,
    paired_ratio,
    run_logs,
    shared,
)
from analysis.statistics.moderation import UNKNOWN, TableScatter
from analysis.statistics.steady_state import CellSteadiness, SteadyState, of_runs
from contract.disturbance import DISTURBED


@dataclass(frozen=True, eq=False)  # a cell is itself: it serves as a key
class Cell:
    """A row on a column, with its runs."""

    row: Row
    column: Column
    unsupported: str | None
    runs: tuple[Run, ...]
    scatter: TableScatter = UNKNOWN  # of the runs of the table that it stands in
    adjustment: float = 0.0  # of the logarithm of its mean, for rounds that it lacks

    @cached_property
    def ok_runs(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.ok)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """Records of the runs that count; a published number has none."""
        return tuple(run.record for run in self.ok_runs if run.record)

    def reported(self, entry: str) -> list[Any]:
        """The values of the parity cards of its runs under this name, each once."""
        found = [record.parity.get(entry) for record in self.records if record.parity]
        return list(dict.fromkeys(value for value in found if value is not None))

    @cached_property
    def run_ms(self) -> dict[Sitting, float]:
        """ms/step by round and session."""
        return {run.sitting: run.step_ms for run in self.ok_runs}

    @cached_property
    def independent_ms(self) -> list[float]:
        """The times that its mean and interval rest on: ms/step of runs, or of several nodes."""
        return [math.exp(log) for log in run_logs(self.run_ms)]

    @property
    def nodes(self) -> set[str]:
        """The nodes that it was measured on; one without a name where that is not known."""
        return nodes_of(self.run_ms)

    @property
    def compared_ms(self) -> dict[Sitting, float]:
        """`run_ms` as ratios take it: empty if nothing may be concluded from the cell."""
        return self.run_ms if self.comparable else {}

    @cached_property
    def step_ms(self) -> float | None:
        """Geometric mean of the run means, in which every node weighs the same, as if it had every
        round of its row; None when no run is ok.
        """
        if not self.run_ms:
            return None
        return geometric_mean(self.independent_ms) * math.exp(self.adjustment)

    @cached_property
    def interval(self) -> Interval | None:
        """95 % interval of its time, weighed with the scatter of its column; None with one run."""
        return self._around_mean(self.moderate)

    @cached_property
    def plain_interval(self) -> Interval | None:
        """95 % interval of its time by its own runs alone."""
        return self._around_mean(as_measured)

    @property
    def moderate(self) -> Moderate:
        """How the variance of its run means is weighed with that of its column."""
        if not self.comparable:
            return as_measured
        return self.scatter.of_cell(self.column.name, self.run_ms)

    def _around_mean(self, moderate: Moderate) -> Interval | None:
        found, factor = log_t_interval(self.independent_ms, moderate), math.exp(self.adjustment)
        return found and Interval(found.low * factor, found.high * factor)

    @cached_property
    def steadiness(self) -> CellSteadiness | None:
        """How steady its runs were, taken together; None when no run is ok."""
        return of_runs([run.steadiness for run in self.ok_runs]) if self.ok_runs else None

    @property
    def steady(self) -> bool:
        """True if its time is that of a steady state, so that it may be called best."""
        return self.steadiness is not None and self.steadiness.steady

    @cached_property
    def disturbed(self) -> str:
        """What else computed beside a run that counts, so much that the time tells nothing; empty
        where nothing did.
        """
        return next(filter(None, (run.disturbed for run in self.ok_runs)), "")

    @cached_property
    def tells_nothing(self) -> str:
        """Why nothing may be concluded from its numbers: no run is ok (one that is invalid is not),
        other work disturbed it, or it was not steady. Empty where they tell something.
        """
        if not self.ok_runs:
            return f"{self.status}: {self.reason}"
        return self.disturbed or ("" if self.steady else "its steps were not steady")

    @property
    def comparable(self) -> bool:
        """True if anything may be concluded from its numbers: the one filter of all that compares,
        explains or warns by them.
        """
        return not self.tells_nothing

    @property
    def status(self) -> str:
        """ok when any run is; else what became of the first run that ended, was outdated or is
        missing.
        """
        return self._outcome[0]

    @property
    def reason(self) -> str:
        """Why the cell has no number; empty when it has one."""
        return self._outcome[1]

    @cached_property
    def _outcome(self) -> tuple[str, str]:
        """Status and reason: of a run that counts, then of one that failed, then stale, then
        missing.
        """
        if self.runs:
            order = {OK: 0, STALE: 2, NOT_MEASURED: 3}
            run = min(self.runs, key=lambda run: order.get(run.status, 1))
            return run.status, run.reason
        if self.unsupported is None:
            return NOT_PLANNED, "the plan holds no run of this cell"
        return UNSUPPORTED, self.unsupported

    @cached_property
    def lost_runs(self) -> tuple[Run, ...]:
        """Runs that are missing from the mean of a cell that has one."""
        return tuple(run for run in self.runs if not run.ok) if self.ok_runs else ()


def contest(cells: Iterable[Cell]) -> Contest:
    """The contest of the comparable ones among cells of one row."""
    return paired_contest(*(cell for cell in cells if cell.comparable))


def undisturbed(cell: Cell) -> Cell:
    """The cell without the runs that other work disturbed, if several others are left: what else
    computed is no outcome of a run, so that leaving it out favours none.
    """
    runs = [
        replace(run, status=DISTURBED, reason=run.disturbed) if run.disturbed else run
        for run in cell.runs
    ]
    return replace(cell, runs=tuple(runs)) if sum(run.ok for run in runs) >= MIN_RUNS else cell


def settled(cell: Cell) -> Cell:
    """The cell; where most of its runs warmed up while they were timed, without that warm-up."""
    if not cell.steady or cell.steadiness.state is not SteadyState.WARM_UP:
        return cell
    return replace(cell, runs=tuple(replace(run, settled=True) for run in cell.runs))


def paired_contest(*cells: Cell) -> Contest:
    """The contest of some cells of one row; one that tells nothing has no times in it."""
    entered = {cell.column.name: cell for cell in cells}
    return Contest(
        {name: cell.compared_ms for name, cell in entered.items()},
        lambda name, base: _moderate_ratio(entered[name], entered[base]),
        cells[0].scatter.correlation if cells else 0.0,
    )


def cell_ratio(cell: Cell, base: Cell) -> Ratio | None:
    """The ratio of the times of two cells of a row, paired by round and session; None when they
    share none, and where nothing may be concluded from one of them.
    """
    moderate, correlation = _moderate_ratio(cell, base), cell.scatter.correlation
    return paired_ratio(cell.compared_ms, base.compared_ms, moderate, correlation)


def _moderate_ratio(cell: Cell, base: Cell) -> Moderate:
    """How a ratio is moderated: by the scatter of these two columns in the table."""
    rounds = shared(cell.run_ms, base.run_ms)
    return cell.scatter.of_pair(cell.column.name, base.column.name, rounds)
