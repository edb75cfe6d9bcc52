"""The measurements of the measuring itself: the reference workload, and the self-test."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
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

    def instead(self, use_conda: bool) -> list[str]:
        """Return options that name the other environments in which it could be measured."""
        found: dict[Environment, Column] = {}
        for column in self.columns:
            found.setdefault(self.plan.environment_of(column), column)
        del found[self.environment]
        others = ([self.identity_of(column), of.wanted(use_conda)] for of, column in found.items())
        return [f"--instead={json.dumps(other)}" for other in others]


class Controls:
    """The reference workload by accelerator, the known steps, and the cell with two names.

    pairs: the records of that cell under each of its names. again: its runs under the second one,
    unless a column of the configuration makes them.
    """

    AGAIN_RULE = "time_again"

    def __init__(self, plan: Plan):
        self._plan, scale = plan, plan.scale
        able = sorted(plan.measurable or plan.columns, key=_simplicity)
        on = {kind: [c for c in able if c.accelerator == kind] for kind in ("cuda", "cpu")}
        facts = {"part_s": PART_S[scale]}
        self.references = {kind: Control(plan, of, facts) for kind, of in on.items() if of}
        columns = next(iter(self.references.values())).columns
        path = f"{plan.results}/self_test/{scale}/known_steps.json"
        self.known_steps = Control(plan, columns, {"known_steps": KNOWN_STEPS[scale]}, path)
        first = _same_cell(plan)
        twins = _twins(plan, first)
        self.again = [] if twins else [_again(plan, run) for run in first]
        self.pairs = [(a.record, b.record) for a, b in zip(first, twins or self.again, strict=True)]

    def pair_files(self, on_nodes: bool) -> list[str]:
        """Return the records, or the files that mark the ends of their jobs on a cluster."""
        if on_nodes:
            return sorted({self._plan.group_of[second].done for _, second in self.pairs})
        return [record for pair in self.pairs for record in pair]

    @property
    def pair_options(self) -> str:
        """Options of the command that compares the records, for a shell."""
        first, second = (" ".join(pair[n] for pair in self.pairs) for n in (0, 1))
        return f"--first {first} --second {second}"


def _same_cell(plan: Plan) -> list[Run]:
    """Return the runs of the cell to measure twice: small and quick to start; none without any."""

    def cost(cell: tuple[Row, Column]) -> tuple[float, int, int]:
        row, column = cell
        return plan.least_memory_mib(row), column.framework.start_rank, _extras(column)

    cell = min(plan.cells, key=cost, default=None)
    return plan.by_cell[cell] if cell else []


def _twins(plan: Plan, first: list[Run]) -> list[Run]:
    """Return the runs of another column with `again` that measure the same; none without any."""
    for column in plan.columns if first else []:
        if column.again and column != first[0].column:
            runs = plan.by_cell.get((first[0].row, column), [])
            if [*map(_measured, runs)] == [*map(_measured, first)]:
                return runs
    return []


def _again(plan: Plan, run: Run) -> Run:
    """Return the run under its second name. Only the timed steps are compared."""
    folder = f"{plan.results}/self_test/{plan.scale}"
    facts = {**json.loads(run.identity), "again": True, "extras": [], "probes": []}
    record = record_path(folder, run.row, run.column, run.number)
    return replace(run, record=record, identity=identity.text(facts))


def _simplicity(column: Column) -> tuple[int, int, int, int]:
    library = LIBRARIES.index(column.framework.library)
    own = bool(column.interpreter) + len(column.overlay)
    return (own, library, column.framework.start_rank, _extras(column))


def _measured(run: Run) -> dict[str, Any]:
    """Return the identity of a run under any name."""
    return {**json.loads(run.identity), "column": None}


def _extras(column: Column) -> int:
    return column.name.count("+")
