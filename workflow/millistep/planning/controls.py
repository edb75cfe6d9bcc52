"""The measurements of the measuring itself: the reference workload, and the self-test."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
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
    """A file about the measuring itself: its path, and the identity of what is in it."""

    path: str
    identity: str


class Controls:
    AGAIN_RULE = "time_again"

    def __init__(self, plan: Plan):
        self._plan = plan

    @cached_property
    def candidates(self) -> dict[str, list[Column]]:
        """Columns that can run controls, by accelerator (cuda first), the simplest ones first."""
        columns = sorted(self._plan.measurable or self._plan.columns, key=_simplicity)
        found = {kind: [c for c in columns if c.accelerator == kind] for kind in ("cuda", "cpu")}
        return {kind: of_kind for kind, of_kind in found.items() if of_kind}

    @property
    def columns(self) -> dict[str, Column]:
        """The column whose environment runs each accelerator's reference workload."""
        return {kind: columns[0] for kind, columns in self.candidates.items()}

    @property
    def column(self) -> Column:
        """The column whose environment runs the known steps."""
        return next(iter(self.columns.values()))

    def environment(self, accelerator: str | None = None) -> Environment:
        """Return the environment of an accelerator's reference workload, or of the known steps."""
        column = self.columns[accelerator] if accelerator else self.column
        return self._plan.environment_of(column)

    def reference_of(self, column: Column) -> str:
        """Return the identity of the reference workload on a column's library."""
        return identity.text({**self._facts(column), "part_s": PART_S[self._plan.scale]})

    @cached_property
    def known_steps(self) -> Control:
        path = f"{self._plan.results}/self_test/{self._plan.scale}/known_steps.json"
        return Control(path, self.known_steps_of(self.column))

    def known_steps_of(self, column: Column) -> str:
        """Return the identity of the known steps in a column's environment."""
        facts = {**self._facts(column), "known_steps": KNOWN_STEPS[self._plan.scale]}
        return identity.text(facts)

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

    def known_steps_instead(self, use_conda: bool) -> str:
        """Return the options for other environments that could measure the known steps."""
        return self._instead(self.column.accelerator, self.known_steps_of, use_conda)

    def options_of_reference(self, accelerator: str, use_conda: bool) -> str:
        """Return options of the command that measures the reference workload."""
        own = [f"--identity={self.reference_of(self.columns[accelerator])}", "--accelerators"]
        instead = self._instead(accelerator, self.reference_of, use_conda)
        return f"{shlex.join([*own, *self.columns])} {instead}".rstrip()

    def _instead(
        self, accelerator: str, identity_of: Callable[[Column], str], use_conda: bool
    ) -> str:
        """Return options that name the other environments in which controls could be measured."""
        found: dict[Environment, Column] = {}
        for column in self.candidates[accelerator]:
            found.setdefault(self._plan.environment_of(column), column)
        del found[self.environment(accelerator)]
        others = ([identity_of(column), of.wanted(use_conda)] for of, column in found.items())
        return shlex.join(f"--instead={json.dumps(other)}" for other in others)

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

    def _facts(self, column: Column) -> dict[str, Any]:
        return {**identity.of_column(self._plan, column), "threads": self._plan.threads}


def _simplicity(column: Column) -> tuple[int, int, int, int]:
    library = LIBRARIES.index(column.framework.library)
    own = bool(column.interpreter) + len(column.overlay)
    return (own, library, column.framework.start_rank, _extras(column))


def _measured(run: Run) -> dict[str, Any]:
    """Return the identity of a run under any name."""
    return {**json.loads(run.identity), "column": None}


def _extras(column: Column) -> int:
    return column.name.count("+")
