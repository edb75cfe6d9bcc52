"""The lines a user sees of a run: its place, its name, the time left, its result, its row so far.

All is read from the plan and from the records that are there, anew for each run.
"""

import json
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from contract import seconds, table_text
from contract.disturbance import DISTURBED
from supervise import reading, row_so_far, running
from supervise.terminal import Terminal


@dataclass(frozen=True)
class Progress:
    """The lines of one run. identity_text: its identity. plan_path: the plan's file. root: the
    folder that paths of records start from.
    """

    plan_path: Path
    identity_text: str
    root: Path = Path()

    def now(self) -> str:
        """The run's line: ``[5/12] bert fit, batch 8, keras3-jax, run 1; about 3 min left``."""
        if self._position is None:
            return self._name
        left = [run for run in self._runs if run["record"] not in self._done]
        return f"{self._position}{self._name}; {self._left(left)}"

    def outcome(self, record: dict[str, Any]) -> list[str]:
        """The lines after the run: its result, and its row. record: the run's, just written."""
        return [self.result(record), *self.row(record)]

    def result(self, record: dict[str, Any]) -> str:
        """The run's result: ``[5/12] bert fit, batch 8, keras3-jax, run 1: 12.34 ms/step``."""
        if record["status"] == "ok":
            found = f"{table_text.ms(reading.step_ms(record))} ms/step"
            if why := reading.disturbed(record):
                found += f", {DISTURBED}: {why}"
        else:
            found = f"{record['status']}: {record['reason']}"
        return f"{self._position or ''}{self._name}: {found}"

    def row(self, record: dict[str, Any]) -> list[str]:
        """The row so far, under the table's header, if this run completes a round of it; otherwise
        no lines.
        """
        if self._position is None or "columns" not in self._plan:
            return []
        done = {**self._done, self._own["record"]: record}
        return row_so_far.lines(self._plan, self._identity, done)

    @contextmanager
    def shown(self, stream: TextIO) -> Iterator[list[dict[str, Any]]]:
        """Show the run's line while it is measured, then the outcome of the record that the caller
        puts into the list, if any.
        """
        terminal = Terminal(stream)
        measured: list[dict[str, Any]] = []
        terminal.stay(self.now())
        try:
            yield measured
        finally:
            # Other blocks may have written records meanwhile.
            after = replace(self) if self._at_once > 1 else self
            terminal.leave(*(line for record in measured for line in after.outcome(record)))

    @cached_property
    def _identity(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.identity_text)
        return found

    @property
    def _name(self) -> str:
        identity = self._identity
        row = f"{identity['model']} {identity['task']}, batch {identity['batch_size']}"
        again = ", once more for the self-test" if identity.get("again") else ""
        return f"{row}, {identity['column']}, run {identity['run']}{again}"

    @cached_property
    def _plan(self) -> dict[str, Any]:
        """The plan's document; empty if a single record was asked for, without a plan."""
        try:
            plan: dict[str, Any] = json.loads(self.plan_path.read_text())
            return plan if isinstance(plan["cells"], list) else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    @cached_property
    def _runs(self) -> list[dict[str, Any]]:
        return [run for cell in self._plan.get("cells", []) for run in cell["runs"]]

    @cached_property
    def _own(self) -> dict[str, Any]:
        """The run's entry in the plan; empty if the plan has none with this identity."""
        return next((run for run in self._runs if run["identity"] == self.identity_text), {})

    @cached_property
    def _done(self) -> dict[str, dict[str, Any]]:
        """Records of the other runs that are done as planned, by path."""
        found = ((run["record"], _record(self.root, run)) for run in self._runs)
        own = self._own.get("record")
        return {path: record for path, record in found if record and path != own}

    @cached_property
    def _at_once(self) -> int:
        """The number of blocks that share what is left, including this one."""
        return max(1, running.at_once(self.plan_path.parent / running.FOLDER))

    @property
    def _position(self) -> str | None:
        return f"[{len(self._done) + 1}/{len(self._runs)}] " if self._own else None

    def _left(self, left: list[dict[str, Any]]) -> str:
        """The time left, by earlier runs of the same cells, else by the mean of all runs."""
        if not self._done:
            return "time left unknown until the first run is done"
        mean_s = statistics.fmean(record["total_s"] for record in self._done.values())
        known = {str(Path(path).parent): _another_run_s(r) for path, r in self._done.items()}
        all_s = sum(known.get(str(Path(run["record"]).parent), mean_s) for run in left)
        found = duration(all_s / self._at_once)
        return f"{found}, {self._at_once} blocks at once" if self._at_once > 1 else found


def duration(estimate_s: float) -> str:
    """A time in words: ``about 3 min left``."""
    if estimate_s < 90:
        return f"about {estimate_s:.0f} s left"
    if estimate_s < 5400:
        return f"about {estimate_s / 60:.0f} min left"
    return f"about {estimate_s / 3600:.1f} h left"


def _another_run_s(record: dict[str, Any]) -> float:
    timing = record["timing"]
    if timing is None:
        return float(record["total_s"])
    own = record["cell"]["batch_size"]
    every_run_ns = [
        *(block["elapsed_ns"] for block in timing["blocks"]),
        *timing["synchronised_ns"],
        *(probe["elapsed_ns"] for probe in record["probes"] if probe["batch_size"] == own),
    ]
    return seconds.of_another_run(record["total_s"], timing["timed_s"], every_run_ns)


def _record(root: Path, run: dict[str, Any]) -> dict[str, Any] | None:
    """The record of a run that is done as planned; None if it still has to be measured."""
    try:
        record: dict[str, Any] = json.loads((root / run["record"]).read_text())
        return record if record["identity"] == run["identity"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
