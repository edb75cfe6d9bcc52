"""The measuring process as the parent sees it: spawn, listen, limit, end."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contract.ending import Ending
from supervise import machine

CHILD = Path(__file__).parent.parent / "measure" / "child.py"
MAX_MESSAGE = 4000  # characters of an exception's message
WATCH_S = 0.5  # between two looks at the child's memory
GRACE_S = 10.0  # for a child that reported its end to be gone


class Watched:
    """A spawned child: its events, its end, its memory."""

    def __init__(
        self,
        interpreter: str,
        request: dict[str, Any],
        environ: dict[str, str],
        log: Path,
        program: Path = CHILD,
    ) -> None:
        """environ: all of its environment variables, see :mod:`supervise.variables`."""
        self.events: dict[str, dict[str, Any]] = {}  # the last one of each kind
        self.measured_log_bytes: int | None = None  # what was printed until it had measured
        self._log = log
        self._kernel_kills = machine.oom_kills()
        self.exit_code: int | None = None
        self.peak_rss_mib: float | None = None
        self.timed_out_after_s: float | None = None
        self.memory_over_mib: dict[str, float] | None = None
        self._reader, writer = os.pipe()
        command = [interpreter, "-s", str(program), json.dumps({**request, "events_fd": writer})]
        try:
            with open(log, "wb") as output:
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
        self._unread = b""

    def reported(self, kind: str, field: str) -> Any:
        """Field of the last event of a kind, None if it never came."""
        return self.events.get(kind, {}).get(field)

    def ending(self) -> Ending:
        """How it ended; only after :meth:`wait`."""
        if self.exit_code is None:
            raise RuntimeError("the process has not ended yet")
        before, after = self._kernel_kills, machine.oom_kills()
        failure = self.events.get("failed")
        return Ending(
            done="done" in self.events,
            exit_code=self.exit_code,
            failure=failure
            and {"type": failure["type"], "message": failure["message"][:MAX_MESSAGE]},
            timed_out_after_s=self.timed_out_after_s,
            memory_over_mib=self.memory_over_mib,
            kernel_killed_for_memory=before is not None and after is not None and after > before,
            measured="measured" in self.events,
        )

    def wait(
        self,
        time_limit_s: float,
        memory_limit_mib: float,
        on_packages: Callable[[dict[str, Any]], None],
    ) -> None:
        """Listen until the child has ended; no process of its group survives this."""
        deadline = time.monotonic() + time_limit_s
        try:
            while self.exit_code is None:
                self._listen(WATCH_S, on_packages)
                used = machine.resident_mib(self._process.pid)
                if used > memory_limit_mib:
                    self.memory_over_mib = {"used": used, "limit": memory_limit_mib}
                    break
                if time.monotonic() > deadline:
                    self.timed_out_after_s = time_limit_s
                    break
                self._reap(os.WNOHANG)
        finally:
            self._end()
        self._listen(0, on_packages)
        os.close(self._reader)

    def _listen(self, timeout_s: float, on_packages: Callable[[dict[str, Any]], None]) -> None:
        """Take in what the child has reported; returns early when it has ended."""
        while select.select([self._reader], [], [], timeout_s)[0]:
            data = os.read(self._reader, 65536)
            if not data:
                self._reap(0)
                return
            *lines, self._unread = (self._unread + data).split(b"\n")
            for line in lines:
                event = json.loads(line)
                self.events[event["event"]] = event
                if event["event"] == "packages":
                    on_packages(event)
                if event["event"] == "measured":
                    self.measured_log_bytes = self._log.stat().st_size
                if event["event"] in ("done", "failed"):
                    self._wait_for_exit()
            timeout_s = 0

    def _wait_for_exit(self) -> None:
        """A child that has reported its end is gone at once, unless it hangs."""
        deadline = time.monotonic() + GRACE_S
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
            # KiB on Linux, bytes on macOS; of the largest process of the run.
            unit = 2**10 if os.uname().sysname == "Linux" else 2**20
            self.peak_rss_mib = usage.ru_maxrss / unit

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._reap(0)
