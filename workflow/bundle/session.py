"""One sitting: file after file, until all are there, the time is over, or it is interrupted."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bundle.columns import Column
from bundle.selection import TimedFile
from measure.process import die_with_parent

GRACE_S = 15.0  # for a supervisor to end what it started
PROGRESS = "progress.json"  # what is to be measured here, for the lines on the terminal
IN_FLIGHT = Path("in_flight.json")  # left behind by a kill alone
STARTS = 2  # of a run that takes everything with it each time: then it is `killed`


class TimeOver(Exception):
    """No time is left to measure in."""


class Session:
    """Runs the pipeline's own programs, in the folder of the bundle.

    deadline: when to end, on the monotonic clock. ``refused``: how many files could not be
    measured for a reason that is no cell's.
    """

    def __init__(
        self,
        bundle: dict,
        columns: dict[str, Column],
        monitor: str | None,
        time_limit_s: float | None,
        deadline: float | None = None,
    ):
        self._bundle, self._columns, self._monitor = bundle, columns, monitor
        self._time_limit_s = time_limit_s or bundle["time_limit_s"]
        self._memory_gib = bundle["memory_gib"]
        self._deadline = deadline
        self.refused = 0

    def measure(self, files: Sequence[TimedFile]) -> str:
        """Measure what is not there as planned; why it ended, in words."""
        write_progress(files, self._bundle["results"])
        try:
            for file in files:
                if not file.is_done(Path()):
                    self._measure(file)
        except TimeOver:
            return "the time is over"
        return "some could not be measured"

    def _measure(self, file: TimedFile) -> None:
        """One file. Where its supervisor itself was killed, the second attempt says so."""
        if file.program != "cell":
            print(f"{Path(file.path).parent.name} {Path(file.path).stem}", file=sys.stderr)
        starts = began(file)
        status = self._run(file, attempt=2 if starts > STARTS else 1)
        if status < 0:
            status = self._run(file, attempt=2)
        IN_FLIGHT.unlink(missing_ok=True)
        self.refused += status != 0

    def _run(self, file: TimedFile, attempt: int) -> int:
        """Exit status of the program; raises :class:`TimeOver`, or what interrupted it."""
        with subprocess.Popen(
            self._command(file, attempt),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt of the terminal comes through us, once
            preexec_fn=die_with_parent,
        ) as process:
            try:
                return process.wait(self._left_s())
            except BaseException as end:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE_S)
                process.kill()
                IN_FLIGHT.unlink(missing_ok=True)
                if isinstance(end, subprocess.TimeoutExpired):
                    raise TimeOver from None
                raise

    def _left_s(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def _command(self, file: TimedFile, attempt: int) -> list[str]:
        """As the rules of the pipeline have it."""
        column, results = self._columns[file.column], self._bundle["results"]
        log = f"{results}/logs{file.path.removeprefix(results)}".replace("/logs/records/", "/logs/")
        command = [sys.executable, "-s", "workflow/supervise", file.program]
        command += ["--identity", file.identity]
        command += ["--deployment", "interpreter", "--definition", column.definition]
        command += ["--environment", column.marker, "--log", log.replace(".json", ".log")]
        command += ["--memory-gib", self._memory_gib, "--attempt", str(attempt)]
        if file.program != "canary" and self._monitor:
            command += ["--monitor-interpreter", self._monitor]
        if file.program != "cell":
            return [*command, "--output", file.path]
        command += ["--record", file.path, "--time-limit-s", str(self._time_limit_s)]
        command += ["--plan", PROGRESS]
        return command + [part for name in self._bundle["folders"] for part in ("--folder", name)]


def write_progress(files: Sequence[TimedFile], results: str) -> None:
    """Of the runs that are measured here, what :mod:`supervise.progress` reads."""
    runs = [
        {"record": file.path, "identity": file.identity}
        for file in files
        if file.path.startswith(f"{results}/records/")
    ]
    Path(PROGRESS).write_text(json.dumps({"cells": [{"runs": runs}]}))


def began(file: TimedFile) -> int:
    """How often a file was started, counting now, without being interrupted or coming to an end."""
    starts = 1
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        before = json.loads(IN_FLIGHT.read_text())
        starts = before["starts"] + 1 if before["path"] == file.path else 1
    IN_FLIGHT.write_text(json.dumps({"path": file.path, "starts": starts}))
    return starts
