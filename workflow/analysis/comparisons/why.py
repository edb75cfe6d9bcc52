"""Why a column is slower than the fastest of its row on the same library versions: what the
difference of their steps is made of.

From profiles of both, round by round. A step is the time in which nothing computes and the times
of groups of operations. Of a group that took a ms in n operations here and b ms in m there, the
same operations are slower by min(n, m) (b/m - a/n), and what one has more of at the mean time that
it takes there is the rest of b - a: other operations, and all of it where one has none. All parts
add up to the difference of the timed steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from analysis.comparisons.operation_groups import Group, group_of
from analysis.results.cells import Cell
from analysis.results.profiles import Operation
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import Sitting, shared


@dataclass(frozen=True)
class Time:
    """Of a step: ms, and how many operations were launched in them."""

    ms: float = 0.0
    launched: float = 0.0


@dataclass(frozen=True)
class Parts:
    """A step: what a run timed, divided as its profile says."""

    step_ms: float
    idle_ms: float  # nothing computes
    groups: dict[Group, Time]  # every one
    slower: float  # a step under the profiler over the timed one

    @property
    def launched(self) -> float:
        """Operations, on a GPU kernels."""
        return sum(time.launched for time in self.groups.values())


@dataclass(frozen=True)
class Spread:
    """A difference in ms: mean over rounds, and the lowest and the highest of them."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Why:
    """A column against the fastest of its row on the same library versions, in the rounds that have
    profiles of both.
    """

    row: RowCells
    fastest: Cell
    cell: Cell
    rounds: tuple[tuple[Parts, Parts], ...]  # of the fastest, of this column

    @property
    def shown(self) -> bool:
        """Whether the table shows that it is slower at all."""
        return self.row.standings[self.cell.column.name] is Standing.SLOWER

    @cached_property
    def difference(self) -> Spread:
        return self._spread(lambda base, new: new.step_ms - base.step_ms)

    @cached_property
    def idle(self) -> Spread:
        return self._spread(lambda base, new: new.idle_ms - base.idle_ms)

    @cached_property
    def same(self) -> Spread:
        """Operations that both have, slower."""
        return self._of_groups(same_ms)

    @cached_property
    def other(self) -> Spread:
        """Operations that one of them has more of, or alone."""
        return self._of_groups(other_ms)

    def group(self, group: Group) -> Spread:
        """Both together, of one group."""
        return self._spread(lambda base, new: new.groups[group].ms - base.groups[group].ms)

    def group_same(self, group: Group) -> Spread:
        return self._spread(lambda base, new: same_ms(base.groups[group], new.groups[group]))

    def group_other(self, group: Group) -> Spread:
        return self._spread(lambda base, new: other_ms(base.groups[group], new.groups[group]))

    def _of_groups(self, of: Callable[[Time, Time], float]) -> Spread:
        return self._spread(
            lambda base, new: sum(of(base.groups[group], new.groups[group]) for group in Group)
        )

    def _spread(self, of: Callable[[Parts, Parts], float]) -> Spread:
        found = [of(base, new) for base, new in self.rounds]
        return Spread(fmean(found), min(found), max(found))


def same_ms(base: Time, new: Time) -> float:
    """What operations that both launch take longer."""
    if not base.launched or not new.launched:
        return 0.0
    both = min(base.launched, new.launched)
    return both * (new.ms / new.launched - base.ms / base.launched)


def other_ms(base: Time, new: Time) -> float:
    """What more of them, or fewer, take."""
    return new.ms - base.ms - same_ms(base, new)


def parts_of(run: Run) -> Parts | None:
    """None of a run that has no time, or no profile with operations."""
    profile = run.record.host_overhead if run.ok and run.record else None
    divided = profile.divided(run.step_ms) if profile else None
    if divided is None:
        return None
    groups = {group: Time() for group in Group}
    for operation in divided.operations:
        group = group_of(operation.name)
        before = groups[group]
        groups[group] = Time(before.ms + operation.ms, before.launched + operation.launched)
    return Parts(run.step_ms, divided.idle_ms, groups, profile.slower(run.step_ms))


def parts_by_round(cell: Cell) -> dict[Sitting, Parts]:
    """Of the runs of a cell that were profiled."""
    return {run.sitting: parts for run in cell.ok_runs if (parts := parts_of(run))}


def mean_parts(cell: Cell) -> Parts | None:
    """Over the profiled runs of a cell; None where there are none."""
    every = list(parts_by_round(cell).values())
    if not every:
        return None

    def mean(of: Callable[[Parts], float]) -> float:
        return fmean(map(of, every))

    groups = {
        group: Time(
            mean(lambda parts, g=group: parts.groups[g].ms),
            mean(lambda parts, g=group: parts.groups[g].launched),
        )
        for group in Group
    }
    return Parts(
        mean(lambda parts: parts.step_ms),
        mean(lambda parts: parts.idle_ms),
        groups,
        mean(lambda parts: parts.slower),
    )


def mean_operations(cell: Cell) -> list[Operation]:
    """Operations of a timed step, the longest first, mean over the profiled runs; what a run does
    not list counts as nothing there.
    """
    profiles = [
        divided.operations
        for run in cell.ok_runs
        if run.record and (profile := run.record.host_overhead)
        if (divided := profile.divided(run.step_ms))
    ]
    found: dict[str, list[Operation]] = {}
    for operation in (operation for profile in profiles for operation in profile):
        found.setdefault(operation.name, []).append(operation)
    means = [_mean_operation(name, every, len(profiles)) for name, every in found.items()]
    return sorted(means, key=lambda operation: (-operation.ms, operation.name))


def _mean_operation(name: str, every: list[Operation], runs: int) -> Operation:
    sums = (sum(getattr(found, part) for found in every) for part in ("ms", "count", "launched"))
    return Operation(name, *(value / runs for value in sums))


def why_slower(row: RowCells) -> list[Why]:
    """Every column against the fastest of those that it competes with."""
    return [why for cells in row.contestants for why in against_fastest(row, cells)]


def against_fastest(row: RowCells, cells: Sequence[Cell]) -> list[Why]:
    """Of these cells of a row, each other one that is not disturbed and has a profiled round in
    common with the fastest that may be compared.
    """
    comparable = [cell for cell in cells if cell.comparable]
    fastest = min(comparable, key=lambda cell: cell.step_ms, default=None)
    if fastest is None:
        return []
    base = parts_by_round(fastest)
    found = [
        Why(row, fastest, cell, tuple(_rounds(base, parts_by_round(cell))))
        for cell in cells
        if cell is not fastest and not cell.disturbed
    ]
    return [why for why in found if why.rounds]


def profiled(results: Results) -> bool:
    """Whether any step can be divided."""
    return any(parts_of(run) for _, run in results.runs)


def _rounds(base: dict[Sitting, Parts], new: dict[Sitting, Parts]) -> Iterable[tuple[Parts, Parts]]:
    return ((base[place], new[place]) for place in shared(base, new))
