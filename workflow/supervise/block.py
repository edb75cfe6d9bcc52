"""Measure a block: all columns of a row in a round, on one machine, one after the other.

Each run is a process of its own. What is there as planned stays, so that whatever ends a block
costs the run in flight at most, and what was changed is measured alone.
"""

import hashlib
import json
import signal
import sys
from pathlib import Path
from typing import Any

from supervise import (
    commands,
    device,
    preconditions,
    processors,
    programs,
    running,
    whereabouts,
)
from supervise.canaries import Canaries
from supervise.cards import write_card
from supervise.interrupts import number
from supervise.marks import Marks
from supervise.planned import Block, Run, Settings
from supervise.programs import TimeOver
from supervise.sessions import Sessions
from supervise.slots import FOLDER, Slots, keep_to


class Job:
    """One attempt at a block. refused: how many runs must not be measured, for a reason that is
    no cell's, and was said.
    """

    def __init__(self, block: Block, settings: Settings, attempt: int = 1) -> None:
        self._block, self._settings, self._attempt = block, settings, attempt
        self._marks, self._sessions = Marks(block.path), Sessions(block)
        self.refused = 0

    def measure(self) -> bool:
        """Whether everything is there now. Raises what interrupts it, and :class:`TimeOver`."""
        missing = [run for run in self._block.runs if not run.is_done()]
        if self._attempt > 1 and self._marks.refused:
            return False  # the first attempt was refused, and would be again
        self._marks.refused = False
        if missing:
            self._sit(missing)
        self._marks.refused = bool(self.refused)
        return not self.refused

    def _sit(self, missing: list[Run]) -> None:
        """One session, in a share of this machine."""
        settings = self._settings
        node = whereabouts.node(settings.results)
        with Slots(settings.results / FOLDER, node, settings.slots).taken() as slot:
            if settings.divide:
                keep_to(slot, settings.slots)
            place = running.node() if settings.slots == 1 else f"slot {slot}"
            with running.told(settings.lines, self._name(), place):
                try:
                    self._in_share(missing, node, slot)
                except (preconditions.Refused, device.NoSuchDevice) as refusal:
                    print(f"millistep: {refusal}", file=sys.stderr)
                    self.refused = len(missing)

    def _in_share(self, missing: list[Run], node: str, slot: int) -> None:
        settings = self._settings
        monitor = settings.monitor_interpreter or sys.executable
        cards = settings.results / "machines"
        write_card(monitor, cards, node, settings.accelerators, settings.device)
        session = self._sessions.begin(
            **self._place(node, slot), affinity=processors.available(), **self._machine()
        )
        try:
            self._measure(missing, session)
        except KeyboardInterrupt as end:
            # Of a job that is ended by a cluster, its second attempt tells.
            killed = number(end) == signal.SIGTERM and settings.kills is None
            if not killed:
                self._marks.over()
            self._sessions.end("killed" if killed else "interrupted")
            raise
        except TimeOver:
            self._marks.over()
            self._sessions.end("interrupted")
            raise
        self._sessions.end("done")

    def _name(self) -> str:
        row = self._block.row
        return f"{row['model']}-{row['task']}-b{row['batch_size']}-round{self._block.round}"

    def _place(self, node: str, slot: int) -> dict[str, Any]:
        """What the records say of it, too."""
        gpu = device.chosen(self._settings.device) if self._accelerator() == "cuda" else None
        return {
            "node": node,
            "device": whereabouts.device(self._settings.results, gpu.uuid if gpu else None),
            "slot": slot,
            "slots": self._settings.slots,
            "attempt": self._attempt,
        }

    def _machine(self) -> dict[str, Any]:
        about = {"accelerator": self._accelerator(), "device": self._settings.device}
        return {"machine": preconditions.machine_card(about)}

    def _accelerator(self) -> str:
        """What the machine is described with: a GPU, if any of the columns is measured on one."""
        return "cuda" if "cuda" in self._block.canaries else "cpu"

    def _measure(self, missing: list[Run], session: dict[str, Any]) -> None:
        """The runs, between two canaries of each accelerator."""
        canaries = Canaries(self._block, self._settings, session)
        for accelerator in self._block.canaries:
            self._keep_canary(session, accelerator, "before", canaries.before(accelerator))
        place = {name: session[name] for name in ("id", "node", "device", "slot", "slots")}
        place["attempt"] = session["attempt"]
        for run in missing:
            if self._run(run, place) == 0:
                session["runs"].append(run.record)
                self._sessions.save()
            else:
                self.refused += 1
        for accelerator in self._block.canaries:
            self._keep_canary(session, accelerator, "after", canaries.measured(accelerator))

    def _keep_canary(
        self, session: dict[str, Any], accelerator: str, when: str, found: dict[str, Any] | None
    ) -> None:
        both = session["canaries"].setdefault(accelerator, {"before": None, "after": None})
        both[when] = found
        self._sessions.save()

    def _run(self, run: Run, session: dict[str, Any]) -> int:
        """Exit status of one run. What was killed with its supervisor says so: another attempt."""
        starts, kills = self._marks.starts(run.record), self._settings.kills
        killed = starts > 0 and (self._attempt > 1 or (kills is not None and starts >= kills))
        self._marks.began(run.record)
        status = self._start(run, session, 2 if killed else 1)
        if status < 0:
            status = self._start(run, session, 2)
        self._marks.over()
        return status

    def _start(self, run: Run, session: dict[str, Any], attempt: int) -> int:
        command = commands.cell(run, self._settings, attempt, json.dumps(session))
        return programs.run(command, self._settings.deadline)


def contents(block: Block) -> str:
    """Digests of a block's records, as sha256sum prints them: another text when one is another."""
    lines = [
        f"{hashlib.sha256(Path(run.record).read_bytes()).hexdigest()}  {run.record}\n"
        for run in sorted(block.runs, key=lambda run: run.record)
    ]
    return "".join(lines)
