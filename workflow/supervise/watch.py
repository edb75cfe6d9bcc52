"""The measuring process as its parent sees it: started, listened to, limited, ended."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contract.ending import FROM_OUTSIDE, Ending
from supervise import machine
from supervise.channel import Channel, NoEvent
from supervise.interrupts import TOGETHER_S
from supervise.logs import Log, last_words

CHILD = Path(__file__).parent.parent / "measure" / "child.py"
WATCH_S = 0.5  # seconds between two looks at the child's memory and log
GRACE_S = 10.0  # seconds until a child that reported its end must be gone


class Watched:
    """A child process that was started: its events, its end, its memory."""

    def __init__(
        self,
        interpreter: str,
        request: dict[str, Any],
        environ: dict[str, str],
        log: Path,
        program: Path = CHILD,
    ) -> None:
        """Start it. environ: all its environment variables, see :mod:`supervise.variables`."""
        self.events: dict[str, dict[str, Any]] = {}  # the last one of each kind
        self.measured_log_bytes: int | None = None  # the log's size when it had measured
        self._log = Log(log)
        self._kernel_kills = machine.oom_kills()
        self.exit_code: int | None = None
        self.peak_rss_mib: float | None = None
        self.timed_out_after_s: float | None = None
        self.memory_over_mib: dict[str, float] | None = None
        self._no_event: str | None = None  # what was wrong with its last report, if it was no event
        self._channel = Channel()
        writer = self._channel.writer
        command = [interpreter, "-s", str(program), json.dumps({**request, "events_fd": writer})]
        try:
            with self._log.to_append() as output:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=[writer],
                    env=environ,
                    start_new_session=True,  # one group, ended as a whole
                )
        finally:
            os.close(writer)

    def reported(self, kind: str, field: str) -> Any:
        """A field of the last event of a kind, None if none came."""
        return self.events.get(kind, {}).get(field)

    def ending(self) -> Ending:
        """How it ended; only after :meth:`wait`."""
        if self.exit_code is None:
            raise RuntimeError("the process has not ended yet")
        before, after = self._kernel_kills, machine.oom_kills()
        failed = self.events.get("failed")
        failure = {name: str(failed[name]) for name in ("type", "message")} if failed else None
        if self._no_event:
            failure = {"type": NoEvent.__name__, "message": self._no_event}
        return Ending(
            done="done" in self.events,
            exit_code=self.exit_code,
            failure=failure,
            timed_out_after_s=self.timed_out_after_s,
            memory_over_mib=self.memory_over_mib,
            kernel_killed_for_memory=before is not None and after is not None and after > before,
            measured="measured" in self.events,
            last_words=None if failure or "done" in self.events else last_words(self._log.path),
        )

    def wait(
        self,
        time_limit_s: float,
        memory_limit_mib: float,
        on_packages: Callable[[dict[str, Any]], None],
    ) -> None:
        """Listen until the child ends or passes a limit; no process of its group survives this."""
        deadline = time.monotonic() + time_limit_s
        try:
            while self.exit_code is None and not self._no_event:
                self._listen(WATCH_S, on_packages)
                self._log.shorten()
                used = machine.resident_mib(self._process.pid)
                if used > memory_limit_mib:
                    self.memory_over_mib = {"used": used, "limit": memory_limit_mib}
                    break
                if time.monotonic() > deadline:
                    self.timed_out_after_s = time_limit_s
                    break
                self._reap(os.WNOHANG)
            if -(self.exit_code or 0) in FROM_OUTSIDE:
                time.sleep(TOGETHER_S)  # if a whole job is being ended, the next signal is ours
        finally:
            self._end()
        self._listen(WATCH_S, on_packages)
        self._log.shorten()
        self._channel.close()

    def _listen(self, timeout_s: float, on_packages: Callable[[dict[str, Any]], None]) -> None:
        """Take in what the child reports within a time; returns early if the child has ended.

        Keeps to the time also if the child reports without end.
        """
        until = time.monotonic() + timeout_s
        while not self._no_event and self._channel.ready(max(0.0, until - time.monotonic())):
            try:
                events = self._channel.read()
            except NoEvent as problem:
                self._no_event = str(problem)
                return
            if events is None:
                self._wait_for_exit(until)
                return
            for event in events:
                self._take(event, on_packages)
            if time.monotonic() > until:
                return

    def _take(self, event: dict[str, Any], on_packages: Callable[[dict[str, Any]], None]) -> None:
        kind = event["event"]
        self.events[kind] = event
        if kind == "packages":
            on_packages(event)
        if kind == "measured":
            self.measured_log_bytes = self._log.size_bytes()
        if kind in ("done", "failed"):
            # It ends at once, unless it hangs.
            self._wait_for_exit(time.monotonic() + GRACE_S)

    def _wait_for_exit(self, deadline: float) -> None:
        while self.exit_code is None and time.monotonic() < deadline:
            self._reap(os.WNOHANG)
            time.sleep(0.005)

    def _reap(self, options: int) -> None:
        if self.exit_code is not None:
            return
        pid, wait_status, usage = os.wait4(self._process.pid, options)
        if pid:
            self.exit_code = os.waitstatus_to_exitcode(wait_status)
            self._process.returncode = self.exit_code
            # KiB on Linux, bytes on macOS; the peak of the run's largest process.
            unit = 2**10 if os.uname().sysname == "Linux" else 2**20
            self.peak_rss_mib = usage.ru_maxrss / unit

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._reap(0)
