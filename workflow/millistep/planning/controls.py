"""The measurements of the measuring itself: the reference workload, and the self-test."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from millistep.planning import identity
from millistep.planning.columns import Column
from millistep.planning.environments import Environment
from millistep.planning.runs import Row, Run, record_path

if TYPE_CHECKING:
    from millistep.planning.plan import Plan

# Libraries that reach a processor's peak in every dtype come first.
LIBRARIES = ("torch", "tensorflow", "jax")
PART_S = {"paper": 0.7, "laptop": 0.15, "smoke": 0.05}  # seconds of each part of the reference
# A step's milliseconds, and in how many processes: a hiccup of the machine dwarfs a short step.
_KNOWN_STEPS = ((2, 5), (20, 3), (200, 1))
KNOWN_STEPS = {"paper": _KNOWN_STEPS, "laptop": _KNOWN_STEPS, "smoke": ((2, 1), (20, 1))}


@dataclass(frozen=True)
class Control:
    """Fixed work that every column on a device can do."""

    plan: Plan
    columns: list[Column]  # that can do it, the simplest ones first
    facts: dict[str, Any]  # of its identity, in addition to the column's
    path: str = ""  # of its file, if it is measured once

    @property
    def column(self) -> Column:
        """The column whose environment it is measured in."""
        return self.columns[0]

    @property
    def environment(self) -> Environment:
        return self.plan.environment_of(self.column)

    @property
    def identity(self) -> str:
        return self.identity_of(self.column)

    def identity_of(self, column: Column) -> str:
        """Return the identity of the work in a column's environment."""
        own = {**identity.of_column(self.plan, column), "threads": self.plan.threads}
        return identity.text({**own, **self.facts})

    def instead(self, use_conda: bool) -> str:
        """Return options that name the other environments in which it could be measured."""
        found: dict[Environment, Column] = {}
        for column in self.columns:
            found.setdefault(self.plan.environment_of(column), column)
        del found[self.environment]
        others = ([self.identity_of(column), of.wanted(use_conda)] for of, column in found.items())
        return shlex.join(f"--instead={json.dumps(other)}" for other in others)


class Controls:
    AGAIN_RULE = "time_again"

    def __init__(self, plan: Plan):
        self._plan = plan

    @cached_property
    def references(self) -> dict[str, Control]:
        """The reference workload by accelerator, cuda first."""
        columns = sorted(self._plan.measurable or self._plan.columns, key=_simplicity)
        found = {kind: [c for c in columns if c.accelerator == kind] for kind in ("cuda", "cpu")}
        facts = {"part_s": PART_S[self._plan.scale]}
        return {kind: Control(self._plan, able, facts) for kind, able in found.items() if able}

    @cached_property
    def known_steps(self) -> Control:
        scale, columns = self._plan.scale, next(iter(self.references.values())).columns
        path = f"{self._plan.results}/self_test/{scale}/known_steps.json"
        return Control(self._plan, columns, {"known_steps": KNOWN_STEPS[scale]}, path)

    @cached_property
    def again(self) -> list[Run]:
        """Runs that measure one cell again, under a second name. None if nothing is measured, or if
        a column of the configuration does the same.
        """
        if self._twins:
            return []
        folder = f"{self._plan.results}/self_test/{self._plan.scale}"
        return [
            replace(
                run,
                record=record_path(folder, run.row, run.column, run.number),
                # Only the timed steps are compared.
                identity=identity.text(
                    {**json.loads(run.identity), "again": True, "extras": [], "probes": []}
                ),
            )
            for run in self._same_cell
        ]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The records of the cell with two names, under each of them."""
        seconds = self._twins or self.again
        return [(a.record, b.record) for a, b in zip(self._same_cell, seconds, strict=True)]

    def pair_files(self, on_nodes: bool) -> list[str]:
        """Return the records, or the files that mark the ends of their jobs on a cluster."""
        if on_nodes:
            return sorted({self._plan.group_of[second].done for _, second in self.pairs})
        return [*chain.from_iterable(zip(*self.pairs, strict=True))]

    @property
    def pair_options(self) -> str:
        """Options of the command that compares the records, for a shell."""
        first, second = zip(*self.pairs, strict=True) if self.pairs else ((), ())
        return " ".join(["--first", *first, "--second", *second])

    @cached_property
    def _twins(self) -> list[Run]:
        """The runs of a column with `again` that measure what ``_same_cell`` does; may be empty."""
        for column in self._plan.columns:
            if column.again and self._same_cell:
                runs = self._runs_of((self._same_cell[0].row, column))
                if [*map(_measured, runs)] == [*map(_measured, self._same_cell)]:
                    return runs
        return []

    @cached_property
    def _same_cell(self) -> list[Run]:
        """The runs of the cell to measure twice: small and quick to start; empty without any."""
        plan = self._plan
        return self._runs_of(
            min(
                (
                    (row, column)
                    for row in plan.rows
                    for column in plan.columns
                    if (row, column.name) not in plan.unsupported
                ),
                key=lambda cell: (
                    plan.least_memory_mib(cell[0]),
                    cell[1].framework.start_rank,
                    _extras(cell[1]),
                ),
                default=None,
            )
        )

    def _runs_of(self, cell: tuple[Row, Column] | None) -> list[Run]:
        return [run for run in self._plan.runs if (run.row, run.column) == cell]


def _simplicity(column: Column) -> tuple[int, int, int, int]:
    library = LIBRARIES.index(column.framework.library)
    own = bool(column.interpreter) + len(column.overlay)
    return (own, library, column.framework.start_rank, _extras(column))


def _measured(run: Run) -> dict[str, Any]:
    """Return the identity of a run under any name."""
    return {**json.loads(run.identity), "column": None}


def _extras(column: Column) -> int:
    return column.name.count("+")
