"""One start of a bundle: block after block, until all is there, time is over, or an interrupt.

Without Snakemake, this loop runs the jobs, in the planned order.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bundle import commands
from bundle.steps import Block, File, Settings
from deploy.virtual_environments import write_atomically
from supervise import programs, sessions, sitting
from supervise.sitting import AFTER, BEFORE

PROGRESS = "progress.json"  # the runs to be measured here, for the lines on the terminal
IN_FLIGHT = ".in_flight.json"  # the run that is measured now, and how often it was begun
KILLS = 2  # a run that has ended everything so often is recorded as `killed`


class Session:
    """Measures as the pipeline does, in the folder of the bundle.

    deadline: when to end, on the monotonic clock. ``refused``: the number of files that could not
    be measured for a reason that lies in no cell.
    """

    def __init__(
        self,
        bundle: dict,
        monitor: str | None,
        time_limit_s: float | None,
        deadline: float | None = None,
    ):
        self._deadline = deadline
        self._settings = Settings(
            results=Path(bundle["results"]),
            plan=Path(PROGRESS),
            time_limit_s=time_limit_s or bundle["time_limit_s"],
            memory_gib=bundle["memory_gib"],
            folders=tuple(bundle["folders"]),
            accelerators=tuple(bundle["accelerators"]),
            device=bundle["device"],
            monitor_interpreter=monitor,
        )
        self.refused = 0

    def measure(self, steps: Sequence[Block | File]) -> str:
        """Measure what is not there as planned; return in words why it ended."""
        self._write_progress(steps)
        sitting.begin()
        try:
            for step in steps:
                if isinstance(step, Block):
                    self._measure(step)
                elif not step.is_done():
                    print("known_steps", file=sys.stderr)
                    self.refused += self._run(commands.known_steps, step, self._settings) != 0
        except programs.TimeOver:
            return "the time is over"
        return "some could not be measured"

    def _measure(self, block: Block) -> None:
        """Measure the missing runs of a block, between two canaries; write its sessions."""
        missing = [run for run in block.runs if not run.is_done()]
        if not missing:
            return
        try:
            self._canaries(block, BEFORE)
            for run in missing:
                self._measure_run(run, block)
            self._canaries(block, AFTER)
        finally:
            records = tuple(run.path for run in block.runs)
            about = sessions.Block(block.path, block.row, block.scale, block.round, records)
            sessions.write(self._settings.results, about)

    def _canaries(self, block: Block, when: str) -> None:
        for accelerator in block.canaries:
            self._run(commands.canary, accelerator, block, self._settings, when=when)

    def _measure_run(self, run: File, block: Block) -> None:
        """Measure a run; if it has ended everything :data:`KILLS` times, record it as killed."""
        starts = self._starts(run.path)
        write_atomically(Path(IN_FLIGHT), json.dumps({"record": run.path, "starts": starts + 1}))
        try:
            first = 2 if starts >= KILLS else 1
            status = self._run(commands.cell, run, block, self._settings, first=first)
        finally:
            Path(IN_FLIGHT).unlink(missing_ok=True)
        self.refused += status != 0

    def _starts(self, record: str) -> int:
        """The number of times a run was begun and killed, with no other run in between."""
        try:
            found = json.loads(Path(IN_FLIGHT).read_text())
            return int(found["starts"]) if found["record"] == record else 0
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def _run(self, command, *about, first: int = 1, **more) -> int:
        """Run a program; return its exit status, or, if it was killed, that of its second attempt,
        which says so.
        """
        for attempt in range(first, 3):
            status = programs.run(command(*about, attempt=attempt, **more), self._deadline)
            if status >= 0:
                break
        return status

    def _write_progress(self, steps: Sequence[Block | File]) -> None:
        """Write the runs that are measured here into a file for :mod:`supervise.progress`."""
        folder = f"{self._settings.results}/records/"
        runs: list[File] = [run for step in steps if isinstance(step, Block) for run in step.runs]
        found = [
            {"record": run.path, "identity": run.identity}
            for run in runs
            if run.path.startswith(folder)
        ]
        Path(PROGRESS).write_text(json.dumps({"cells": [{"runs": found}]}))


def missing(steps: Sequence[Block | File]) -> tuple[int, int]:
    """The number of files that are not there as planned, and the number of all."""
    files = [file for step in steps for file in (step.runs if isinstance(step, Block) else [step])]
    return sum(not file.is_done() for file in files), len(files)
