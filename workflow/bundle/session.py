"""One sitting: block after block, until all are there, the time is over, or it is interrupted."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bundle.selection import KnownSteps
from supervise import commands, programs
from supervise.block import Job
from supervise.planned import Block, Run, Settings

PROGRESS = "progress.json"  # what is to be measured here, for the lines on the terminal
KILLS = 2  # of a run that takes everything with it each time: then it is `killed`


class Session:
    """Measures as the pipeline does, in the folder of the bundle.

    deadline: when to end, on the monotonic clock. ``refused``: how many files could not be
    measured for a reason that is no cell's.
    """

    def __init__(
        self,
        bundle: dict,
        monitor: str | None,
        time_limit_s: float | None,
        deadline: float | None = None,
    ):
        self._settings = Settings(
            results=Path(bundle["results"]),
            plan=Path(PROGRESS),
            time_limit_s=time_limit_s or bundle["time_limit_s"],
            memory_gib=bundle["memory_gib"],
            folders=tuple(bundle["folders"]),
            accelerators=tuple(bundle["accelerators"]),
            device=bundle["device"],
            monitor_interpreter=monitor,
            kills=KILLS,
            deadline=deadline,
        )
        self.refused = 0

    def measure(self, steps: Sequence[Block | KnownSteps]) -> str:
        """Measure what is not there as planned; why it ended, in words."""
        self._write_progress(steps)
        try:
            for step in steps:
                if isinstance(step, Block):
                    self._measure(step)
                elif not step.is_done():
                    self._measure_known_steps(step)
        except programs.TimeOver:
            return "the time is over"
        return "some could not be measured"

    def _measure(self, block: Block) -> None:
        job = Job(block, self._settings)
        try:
            job.measure()
        finally:
            self.refused += job.refused

    def _measure_known_steps(self, steps: KnownSteps) -> None:
        """Where their supervisor itself was killed, the second attempt says so."""
        print("known_steps", file=sys.stderr)
        for attempt in (1, 2):
            command = commands.known_steps(steps, self._settings, attempt, Path(steps.path))
            status = programs.run(command, self._settings.deadline)
            if status >= 0:
                break
        self.refused += status != 0

    def _write_progress(self, steps: Sequence[Block | KnownSteps]) -> None:
        """Of the runs that are measured here, what :mod:`supervise.progress` reads."""
        folder = f"{self._settings.results}/records/"
        runs: list[Run] = [run for step in steps if isinstance(step, Block) for run in step.runs]
        found = [
            {"record": run.record, "identity": run.identity}
            for run in runs
            if run.record.startswith(folder)
        ]
        Path(PROGRESS).write_text(json.dumps({"cells": [{"runs": found}]}))


def missing(steps: Sequence[Block | KnownSteps]) -> tuple[int, int]:
    """How many files are not there as planned, of how many."""
    files = [file for step in steps for file in (step.runs if isinstance(step, Block) else [step])]
    return sum(not file.is_done() for file in files), len(files)
