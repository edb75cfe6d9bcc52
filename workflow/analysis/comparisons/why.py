"""Why a column is slower than the fastest of its row on the same library versions: what the
difference of their steps is made of.

From profiles of both, round by round. A step is the time in which nothing computes and the times
of groups of operations; their differences add up to that of the timed steps.

Where one profiler named the operations of both, those of one name are the same. Of one that took a
ms in n calls here and b ms in m there, it is slower by min(n, m) (b/m - a/n), and what one has more
of, or alone, is the rest of b - a. A compiler's piece and a library's operation are not one thing
under two names: between profilers that see these nothing is said of single operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from analysis.comparisons.operation_groups import Group, group_of
from analysis.comparisons.profiler_cost import shown_cost
from analysis.results.cells import Cell
from analysis.results.profiles import REST, Operation
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import Sitting, shared

Operations = Mapping[str, Operation]  # by their names


@dataclass(frozen=True)
class Parts:
    """A step: what a run timed, divided as its profile says."""

    step_ms: float
    idle_ms: float  # nothing computes
    operations: Operations
    profiler: str  # and what it counts as computing

    def of(self, group: Group) -> list[Operation]:
        return [each for name, each in self.operations.items() if group_of(name) is group]

    def ms(self, group: Group) -> float:
        return sum(operation.ms for operation in self.of(group))

    @property
    def launched(self) -> float:
        """Operations, on a GPU kernels."""
        return sum(operation.launched for operation in self.operations.values())


@dataclass(frozen=True)
class Spread:
    """A difference in ms: mean over rounds, and the lowest and the highest of them."""

    mean: float
    low: float
    high: float

    @property
    def one_sign(self) -> bool:
        """Whether every round says more, or every one less."""
        return self.low * self.high > 0


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

    @property
    def alike(self) -> bool:
        """Whether one profiler named the operations of both."""
        return all(base.profiler == new.profiler for base, new in self.rounds)

    @cached_property
    def difference(self) -> Spread:
        return self._spread(lambda base, new: new.step_ms - base.step_ms)

    @cached_property
    def idle(self) -> Spread:
        return self._spread(lambda base, new: new.idle_ms - base.idle_ms)

    @cached_property
    def groups(self) -> dict[Group, Spread]:
        return {
            group: self._spread(lambda base, new, g=group: new.ms(g) - base.ms(g))
            for group in Group
        }

    def same(self, *groups: Group) -> Spread | None:
        """Operations that both have, slower, of these groups or of all; None where they are not
        named alike.
        """
        return self._split(same_ms, groups or tuple(Group))

    def other(self, *groups: Group) -> Spread | None:
        """Operations that one of them has more of, or alone."""
        return self._split(other_ms, groups or tuple(Group))

    def _split(
        self, of: Callable[[Operations, Operations], float], groups: Sequence[Group]
    ) -> Spread | None:
        if not self.alike:
            return None
        return self._spread(lambda base, new: of(_of(base, groups), _of(new, groups)))

    def _spread(self, of: Callable[[Parts, Parts], float]) -> Spread:
        found = [of(base, new) for base, new in self.rounds]
        return Spread(fmean(found), min(found), max(found))


def _of(parts: Parts, groups: Sequence[Group]) -> Operations:
    return {name: each for name, each in parts.operations.items() if group_of(name) in groups}


def same_ms(base: Operations, new: Operations) -> float:
    """What operations that both have take longer, as often as both run them."""
    names = [
        name for name in base.keys() & new.keys() - {REST} if base[name].count and new[name].count
    ]
    return sum(_longer(base[name], new[name]) for name in names)


def _longer(base: Operation, new: Operation) -> float:
    both = min(base.count, new.count)
    return both * (new.ms / new.count - base.ms / base.count)


def other_ms(base: Operations, new: Operations) -> float:
    """What more of them, or fewer, take."""
    ms = [sum(operation.ms for operation in found.values()) for found in (base, new)]
    return ms[1] - ms[0] - same_ms(base, new)


def parts_of(run: Run, slower: float) -> Parts | None:
    """None of a run that has no time, or no profile with operations.

    slower: how many times as long a step is shown to be under the profiler.
    """
    profile = run.record.host_overhead if run.ok and run.record else None
    divided = profile.divided(run.step_ms, slower) if profile else None
    if divided is None:
        return None
    operations = {operation.name: operation for operation in divided.operations}
    return Parts(run.step_ms, divided.idle_ms, operations, profile.method)


def parts_by_round(cell: Cell) -> dict[Sitting, Parts]:
    """Of the runs of a cell that were profiled."""
    slower = shown_cost(cell)
    return {run.sitting: parts for run in cell.ok_runs if (parts := parts_of(run, slower))}


def mean_parts(cell: Cell) -> Parts | None:
    """Over the profiled runs of a cell, None where there are none; what a run does not list counts
    as nothing there.
    """
    every = list(parts_by_round(cell).values())
    if not every:
        return None
    found: dict[str, list[Operation]] = {}
    for name, operation in (entry for parts in every for entry in parts.operations.items()):
        found.setdefault(name, []).append(operation)
    return Parts(
        fmean(parts.step_ms for parts in every),
        fmean(parts.idle_ms for parts in every),
        {name: _mean_operation(name, each, len(every)) for name, each in found.items()},
        every[0].profiler,
    )


def mean_operations(cell: Cell) -> list[Operation]:
    """Operations of a timed step, the longest first, mean over the profiled runs."""
    parts = mean_parts(cell)
    found = parts.operations.values() if parts else ()
    return sorted(found, key=lambda operation: (-operation.ms, operation.name))


def _mean_operation(name: str, every: list[Operation], runs: int) -> Operation:
    sums = (sum(getattr(found, part) for found in every) for part in ("ms", "count", "launched"))
    return Operation(name, *(value / runs for value in sums))


def why_slower(row: RowCells) -> list[Why]:
    """Every column against the fastest of those that it competes with."""
    return [why for cells in row.contestants for why in against_fastest(row, cells)]


def against_fastest(row: RowCells, cells: Sequence[Cell]) -> list[Why]:
    """Of these cells of a row that may be compared, each with a profiled round in common with the
    fastest.
    """
    comparable = [cell for cell in cells if cell.comparable]
    fastest = min(comparable, key=lambda cell: cell.step_ms, default=None)
    if fastest is None:
        return []
    base = parts_by_round(fastest)
    found = [
        Why(row, fastest, cell, tuple(_rounds(base, parts_by_round(cell))))
        for cell in comparable
        if cell is not fastest
    ]
    return [why for why in found if why.rounds]


def profiled(results: Results) -> bool:
    """Whether any step can be divided."""
    return any(parts_of(run, 1.0) for _, run in results.runs)


def _rounds(base: dict[Sitting, Parts], new: dict[Sitting, Parts]) -> Iterable[tuple[Parts, Parts]]:
    return ((base[place], new[place]) for place in shared(base, new))
