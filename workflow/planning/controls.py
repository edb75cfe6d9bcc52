"""The measurements of the measuring itself: canaries around the blocks, and the self-test."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from functools import cached_property

from planning import identity
from planning.cells import Environment, Row, Run, record_path
from planning.columns import Column
from planning.identity import CORE, WORKFLOW
from supervise import sources

# Libraries that reach a processor's peak in every dtype come first; NumPy has no bfloat16.
LIBRARIES = ("torch", "tensorflow", "jax", "numpy")
PART_S = {"paper": 0.7, "laptop": 0.15, "smoke": 0.05}  # seconds of each part of a canary
# A step's milliseconds, and in how many processes: a hiccup of the machine dwarfs a short step.
_KNOWN_STEPS = ((2, 5), (20, 3), (200, 1))
KNOWN_STEPS = {"paper": _KNOWN_STEPS, "laptop": _KNOWN_STEPS, "smoke": ((2, 1), (20, 1))}
MONITOR_PAIRS = {"paper": 200, "laptop": 100, "smoke": 3}
MONITOR_PART_S = 0.1


@dataclass(frozen=True)
class Control:
    """A file about the measuring itself: its path, and the identity of what is in it."""

    path: str
    identity: str


@dataclass(frozen=True)
class Canary:
    """Fixed work in the environment of a column, done by the column's library."""

    identity: str
    column: Column


class Controls:
    """The canaries and the self-test of one plan."""

    def __init__(self, plan):
        self._plan = plan

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The column in whose environment each accelerator's canaries are measured; cuda first.

        The plainest there is, so that adding a column changes nothing.
        """
        found: dict[str, Column] = {}
        for column in self.candidates:
            found.setdefault(column.accelerator, column)
        return {kind: found[kind] for kind in ("cuda", "cpu") if kind in found}

    @cached_property
    def candidates(self) -> list[Column]:
        """The columns in whose environments controls could be measured, the plainest first."""
        return sorted(self._plan.measurable or self._plan.columns, key=_plainness)

    @property
    def column(self) -> Column:
        """The column in whose environment the known steps are measured."""
        return next(iter(self.columns.values()))

    def environment(self, accelerator: str | None = None) -> Environment:
        """The environment of the canaries of an accelerator, or of the known steps."""
        column = self.columns[accelerator] if accelerator else self.column
        return self._plan.environment_of(column)

    @cached_property
    def canaries(self) -> dict[str, list[Canary]]:
        """By accelerator, its canary in each environment that could measure it, the plainest
        first.
        """
        found: dict[str, dict[Environment, Canary]] = {kind: {} for kind in self.columns}
        for column in self.candidates:
            environment = self._plan.environment_of(column)
            canary = Canary(self.canary_of(column), column)
            found[column.accelerator].setdefault(environment, canary)
        return {kind: list(canaries.values()) for kind, canaries in found.items()}

    def canary_of(self, column: Column) -> str:
        """The identity of the canary that a column's library would compute."""
        facts = self._facts(column, "measure/controls/canary.py")
        return identity.text({**facts, "part_s": PART_S[self._plan.scale]})

    @cached_property
    def known_steps(self) -> Control:
        """Steps of known duration, and a step of known work with and without the monitor."""
        return self.known_steps_of(self.column)

    def known_steps_of(self, column: Column) -> Control:
        """The known steps as a column's environment would measure them."""
        plan = self._plan
        facts = {
            **self._facts(
                column,
                "measure/controls/monitor_pair.py",
                "measure/controls/known_step/**/*.py",
            ),
            "known_steps": KNOWN_STEPS[plan.scale],
            "monitor_pairs": MONITOR_PAIRS[plan.scale],
            "monitor_part_s": MONITOR_PART_S,
        }
        path = f"{plan.results}/self_test/{plan.scale}/known_steps.json"
        return Control(path, identity.text(facts))

    @cached_property
    def again(self) -> list[Run]:
        """Runs that measure one cell again, under a second name; none if nothing is measured."""
        plan, same_cell = self._plan, self._same_cell()
        folder = f"{plan.results}/self_test/{plan.scale}"
        return [
            replace(
                run,
                record=record_path(folder, run.row, run.column, run.number),
                # Only the timed steps are compared.
                identity=identity.text(
                    {**_untrained(run.identity), "again": True, "extras": [], "probes": []}
                ),
            )
            for run in plan.runs
            if (run.row, run.column) == same_cell
        ]

    def known_steps_instead(self, use_conda: bool) -> str:
        """Options of the command that measures the known steps, for the other environments that
        could measure them.
        """
        found: dict[Environment, Column] = {}
        for column in self.candidates:
            if column.accelerator == self.column.accelerator:
                found.setdefault(self._plan.environment_of(column), column)
        identities = {of: self.known_steps_of(column).identity for of, column in found.items()}
        return self._instead(identities, self.environment(), use_conda)

    def options_of_canary(self, accelerator: str, use_conda: bool) -> str:
        """Options of the command that measures the canaries of an accelerator."""
        identity = self.canaries[accelerator][0].identity
        own = [f"--identity={identity}", "--accelerators", *self.columns]
        return f"{shlex.join(own)} {self.canary_instead(accelerator, use_conda)}".rstrip()

    def canary_instead(self, accelerator: str, use_conda: bool) -> str:
        """Options that name the other environments that could measure an accelerator's canaries."""
        found = {
            self._plan.environment_of(canary.column): canary.identity
            for canary in self.canaries[accelerator]
        }
        return self._instead(found, self.environment(accelerator), use_conda)

    def _instead(
        self, identities: dict[Environment, str], own: Environment, use_conda: bool
    ) -> str:
        """Empty with conda: a rule has only the environment that Snakemake made for it."""
        if use_conda:
            return ""
        options = (
            {
                "identity": identity,
                "deployment": of.method(use_conda),
                "definition": of.definition.as_posix(),
                "environment": of.marker,
                "overlay": [overlay.source for overlay in of.overlay],
            }
            for of, identity in identities.items()
            if of != own
        )
        return shlex.join(f"--instead={json.dumps(option)}" for option in options)

    def _same_cell(self) -> tuple[Row, Column] | None:
        """The cell to measure twice: small and quick to start; None if no cell is measured."""
        plan = self._plan
        return min(
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

    def _facts(self, column: Column, *programs: str) -> dict:
        """The facts in every control's identity; programs: patterns of the sources that it uses."""
        used = (*programs, "measure/controls/matmul/*.py")
        files = [file for pattern in used for file in WORKFLOW.glob(pattern)]
        return {
            **identity.of_column(self._plan, column),
            "sources": sources.digest(WORKFLOW, (*CORE, *files)),
            "threads": self._plan.threads,
        }


def _plainness(column: Column) -> tuple:
    library = LIBRARIES.index(column.framework.library)
    own = bool(column.interpreter) + len(column.overlay)
    return (own, library, column.framework.start_rank, _extras(column))


def _extras(column: Column) -> int:
    """The number of settings in a column's name."""
    return column.name.count("+")


def _untrained(text: str) -> dict:
    """The facts of an identity, without the training that follows the timed steps."""
    return {name: value for name, value in json.loads(text).items() if name != "training"}
