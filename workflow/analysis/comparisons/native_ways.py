"""The ways of one operation, by what a user writes it in: which cells of a row stand beside each
other when the question is whether native code is worth it.

They are those of one framework, whatever it compiles: a user of native PyTorch may compile or not,
one of Keras may ask for XLA or not, and the best of these is what native code has to beat. Any
other setting that differs (device, precision, versions) makes another group.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from analysis.comparisons.questions import differ_only_in
from analysis.comparisons.speedups import FAMILIES
from analysis.formats.text import plain
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.timed_operation import Build, TimedOperation
from analysis.statistics.intervals import (
    Interval,
    Sitting,
    geometric_mean,
    mean_interval,
)

WAY = "way"
COMPILING = ("mode", "jit_compile")  # settings that a user of one framework may choose freely
NAIVE = "naive"  # native code without the flags that it needs: shown, and never called the best
OWN_COMPILER = ("triton",)  # kernels of one's own for which nothing is built before


@dataclass(frozen=True, eq=False)  # a way is itself, as its cell is
class Way:
    """A measured cell around an operation, whose runs called that alone, too."""

    cell: Cell
    runs: dict[Sitting, TimedOperation]

    @property
    def first(self) -> TimedOperation:
        return next(iter(self.runs.values()))

    @property
    def word(self) -> str:
        return self.first.way

    @property
    def native(self) -> bool:
        """Whether it is code of one's own in another language than the framework's."""
        return self.word in OWN_COMPILER or self.build is not None

    @property
    def naive(self) -> bool:
        return self.word == NAIVE

    @property
    def build(self) -> Build | None:
        """That of its first run, for compiler and flags; None where nothing is built."""
        return self.first.build

    @cached_property
    def build_s(self) -> float | None:
        """Mean over the runs, each of which builds."""
        found = [run.build.seconds for run in self.runs.values() if run.build]
        return fmean(found) if found else None

    @property
    def lines(self) -> int:
        return self.first.lines

    @cached_property
    def alone(self) -> dict[Sitting, float]:
        """ms of the operation alone, by run; without those in which it could not be timed."""
        return {at: run.alone_ms for at, run in self.runs.items() if run.alone_ms is not None}

    @property
    def compared_alone(self) -> dict[Sitting, float]:
        """The same, as ratios take it: nothing of a cell from which nothing may be concluded."""
        return self.alone if self.cell.comparable else {}

    @cached_property
    def alone_ms(self) -> float | None:
        return geometric_mean(self.alone.values()) if self.alone else None

    @cached_property
    def shares(self) -> list[float]:
        """Of a step of the same run, by run: what its uses of the operation take alone."""
        taken = {at: ms for at, run in self.runs.items() if (ms := run.in_a_step_ms) is not None}
        return [ms / self.cell.run_ms[at] for at, ms in taken.items()]

    @cached_property
    def share(self) -> float | None:
        return fmean(self.shares) if self.shares else None

    @property
    def share_interval(self) -> Interval | None:
        return mean_interval(self.shares)


@dataclass(frozen=True)
class Ways:
    """All ways of a row's operation in one framework; `missing` are cells without a time."""

    row: RowCells
    framework: str  # as it is printed
    every: tuple[Way, ...]
    missing: tuple[Cell, ...]

    @property
    def operation(self) -> str:
        return self.every[0].first.name

    @property
    def of_framework(self) -> tuple[Way, ...]:
        return tuple(way for way in self.every if not way.native)

    @property
    def native(self) -> tuple[Way, ...]:
        """Without what is built naively."""
        return tuple(way for way in self.every if way.native and not way.naive)

    @property
    def naive(self) -> tuple[tuple[Way, Way], ...]:
        """Each naive one with the tuned one that differs in nothing else."""
        return tuple(
            (naive, tuned)
            for naive in self.every
            for tuned in self.native
            if naive.naive and differ_only_in(naive.cell.column, tuned.cell.column, (WAY,))
            if tuned.word == "native"
        )


def ways_of(results: Results) -> list[Ways]:
    """One for each row with an operation and each framework that was measured in it, in the order
    of the table.
    """
    return [found for row in results.rows for found in _of_row(results, row)]


def _of_row(results: Results, row: RowCells) -> list[Ways]:
    measured = {cell: way for cell in row.measured if (way := _way(cell))}
    if not measured:
        return []
    groups: dict[str, list[Cell]] = {}
    for cell in row.cells:
        if cell in measured or WAY in cell.column.settings:
            groups.setdefault(_key(results.plan.columns, cell.column), []).append(cell)
    kept = [cells for cells in groups.values() if {*cells} & {*measured}]
    titles = _titles(results.plan.columns, kept)
    return [
        Ways(
            row,
            title,
            tuple(measured[cell] for cell in cells if cell in measured),
            tuple(cell for cell in cells if not cell.ok_runs),
        )
        for title, cells in zip(titles, kept, strict=True)
    ]


def _way(cell: Cell) -> Way | None:
    found = {run.sitting: run.record.operation for run in cell.ok_runs if run.record}
    timed = {sitting: operation for sitting, operation in found.items() if operation}
    return Way(cell, timed) if timed else None


def _key(columns: Sequence[Column], column: Column) -> str:
    """The same for columns that one user may choose between."""
    free = (WAY, *COMPILING)
    others = {name: value for name, value in column.settings.items() if name not in free}
    return json.dumps([_root(columns, column), others], sort_keys=True)


def _root(columns: Sequence[Column], column: Column) -> str:
    """The framework, or the one of its family that its registry names it against."""
    named = (
        other.framework
        for other in columns
        if other.framework in column.against and other.family == column.family
    )
    return next(named, column.framework)


def _titles(columns: Sequence[Column], groups: list[list[Cell]]) -> list[str]:
    """Of the framework; of groups that would have the same, with the settings that they differ
    in.
    """
    bases = [_base_title(columns, [cell.column for cell in cells]) for cells in groups]
    firsts = [cells[0].column.settings for cells in groups]
    titles = []
    for base, own in zip(bases, firsts, strict=True):
        alike = [other for title, other in zip(bases, firsts, strict=True) if title == base]
        apart = [
            str(value)
            for name, value in own.items()
            if name not in (WAY, *COMPILING) and any(o.get(name) != value for o in alike)
        ]
        titles.append(plain(", ".join([base, *apart])))
    return titles


def _base_title(columns: Sequence[Column], of: Sequence[Column]) -> str:
    """'Keras 3 (JAX)'; of several frameworks of a family that of the family."""
    if len({column.framework for column in of}) > 1:
        return FAMILIES.get(of[0].family, of[0].family)
    named = (other.title for other in columns if other.plain and other.framework == of[0].framework)
    return next(named, of[0].title.split(", ")[0])
