"""The measuring process as its parent sees it: started, listened to, limited, stopped, ended."""

import contextlib
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

from millistep.supervise import machine
from millistep.supervise.console import TOGETHER_S
from millistep.supervise.device import tried
from millistep.supervise.ending import FROM_OUTSIDE, Ending
from millistep.supervise.output import Channel, Log, NoEvent, last_words
from millistep.supervise.preconditions import check_packages

START = Path(__file__).parent.parent / "measure" / "start.py"
WATCH_S = 0.5  # seconds between two looks at the child's memory and log
TREE = 4  # every so many looks, processes that the child has started are counted, too
LONGEST_S = 30.0  # of such a look, unless this process was stopped meanwhile, for example by Ctrl-Z
GRACE_S = 10.0  # seconds until a child that reported its end, or was killed, must be gone


@dataclass(frozen=True)
class Job:
    """What to measure, in which environment and within which limits."""

    identity_text: str  # the plan's JSON string
    environment: dict[str, Any]  # the marker, from which its packages must not differ
    log: Path
    time_limit_s: float  # in which it may compute; waiting for a turn does not count
    memory_limit_mib: float
    folders: tuple[str, ...] = ()  # the user's, with ``models/`` or ``frameworks/`` in them
    caches: Path | None = None  # folder for compiler caches of the cell; None to keep none

    @cached_property
    def identity(self) -> dict[str, Any]:
        return dict(json.loads(self.identity_text))


class Watched:
    """A child process: its events, limits and end; no process of its group survives close().

    environ: all its environment variables, see :mod:`supervise.variables`.
    """

    def __init__(
        self, program: str, request: dict[str, Any], job: Job, environ: dict[str, str]
    ) -> None:
        self.events: dict[str, dict[str, Any]] = {}  # fields of the last one of each kind
        self.turns_ns: list[tuple[int, int]] = []  # begin and end of each turn, by our own clock
        self.peak_rss_mib: float | None = None
        self._passed: dict[str, Any] = {}  # limits, as fields of an Ending
        self._job = job
        self.used_s, self._looks = 0.0, 0  # used: seconds in which it may have computed
        self._log = Log(job.log)
        self._kernel_kills = machine.oom_kills() or 0
        self._channel = Channel()
        turns, self._turns = os.pipe()
        writer = self._channel.writer
        given = {**request, "events_fd": writer, "turns_fd": turns, "parent": os.getpid()}
        try:
            with open(job.log, "ab") as output:  # which is always at the end, also after a cut
                self._process = subprocess.Popen(
                    [job.environment["interpreter"], "-s", str(START), program, json.dumps(given)],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=[writer, turns],
                    env=environ,
                    start_new_session=True,  # one group, stopped and ended as a whole
                )
        finally:
            os.close(writer)
            os.close(turns)
        self.pid = self._process.pid

    def close(self) -> None:
        self._end()
        self._listen(0.0, "")
        self._log.shorten()
        self._channel.close()
        os.close(self._turns)

    @property
    def over(self) -> bool:
        """True if the child has ended, or must."""
        return self._process.returncode is not None or self._must_end

    @property
    def _must_end(self) -> bool:
        return "failed" in self.events or bool(self._passed)

    def reported(self, kind: str, field: str) -> Any:
        """Return a field of the last event of a kind; None if none came."""
        return self.events.get(kind, {}).get(field)

    def until(self, kind: str) -> bool:
        """Listen until an event of this kind; False if the child ended or passed a limit before."""
        self.events.pop(kind, None)
        while kind not in self.events and not self.over:
            began = time.monotonic()
            self._listen(WATCH_S, kind)
            self._log.shorten()
            self._check_memory()
            self.used_s += min(time.monotonic() - began, LONGEST_S)
            if self.used_s > self._job.time_limit_s:
                self._passed["timed_out_after_s"] = self._job.time_limit_s
            self._wait_for_exit(0.0)
        if kind in self.events and not self._must_end:
            return True
        if -(self._process.returncode or 0) in FROM_OUTSIDE:
            time.sleep(TOGETHER_S)  # if a whole job is being ended, the next signal is ours
        self._end()
        return False

    def until_turn(self) -> None:
        """Listen until the child waits for a turn, then stop it and its children: threads that wait
        may still compute.
        """
        if self.until("turn"):
            self._signal(signal.SIGSTOP)

    def turn(self) -> None:
        """Let the child time one window."""
        began = time.perf_counter_ns()  # the same clock in every process
        self.go(1)
        self.until_turn()
        self.turns_ns.append((began, time.perf_counter_ns()))

    def go(self, windows: int) -> None:
        """Let the child go on and time windows; 0 after its last turn."""
        self._signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):
            os.write(self._turns, f"{windows}\n".encode())

    def ending(self) -> Ending:
        """Return how the child ended; only after its end."""
        failure = self.events.get("failed")
        return Ending(
            done="done" in self.events,
            exit_code=self._process.returncode,
            failure=failure,
            kernel_killed_for_memory=(machine.oom_kills() or 0) > self._kernel_kills,
            measured="measured" in self.events,
            last_words=None if failure or "done" in self.events else last_words(self._log.path),
            **self._passed,
        )

    def _check_memory(self) -> None:
        self._looks += 1
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.pid)
            more = process.children(recursive=True) if self._looks % TREE == 0 else []
            sizes = [tried(each.memory_info) for each in (process, *more)]
            used = sum(size.rss for size in sizes if size) / 2**20
            limit = self._job.memory_limit_mib
            if used > limit and more:  # forked processes share pages, which count once
                shares = (tried(each.memory_full_info) for each in (process, *more))
                pairs = [pair for pair in zip(shares, sizes, strict=True) if pair[1]]
                used = sum(getattr(share, "pss", size.rss) for share, size in pairs) / 2**20
            if used > limit:
                self._passed["memory_over_mib"] = {"used": used, "limit": limit}

    def _listen(self, timeout_s: float, kind: str) -> None:
        """Take in what the child reports until an event of a kind, its end, or the timeout, which
        holds also if it reports without end.
        """
        until = time.monotonic() + timeout_s
        while "failed" not in self.events:
            try:
                events = self._channel.read(max(0.0, until - time.monotonic()))
            except NoEvent as problem:
                self.events["failed"] = {"type": NoEvent.__name__, "message": str(problem)}
                return
            if events is None:
                self._wait_for_exit(until)
                return
            for event in events:
                self._take(event)
            if kind in self.events or time.monotonic() > until:
                return

    def _take(self, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        self.events[kind] = event
        if kind == "packages":
            check_packages(self._job.environment, event)
        if kind in ("done", "failed"):
            # It ends at once, unless it hangs.
            self._wait_for_exit(time.monotonic() + GRACE_S)
            self._end()

    def _wait_for_exit(self, deadline: float) -> None:
        while self._process.returncode is None:
            pid, wait_status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(wait_status)
                # KiB on Linux, bytes on macOS; the peak of the run's largest process.
                unit = 2**10 if os.uname().sysname == "Linux" else 2**20
                self.peak_rss_mib = usage.ru_maxrss / unit
            elif time.monotonic() < deadline:
                time.sleep(0.005)
            else:
                return

    def _end(self) -> None:
        """Kill all of the group; a process that the kernel does not let go is left to it."""
        self._signal(signal.SIGKILL)
        self._wait_for_exit(time.monotonic() + GRACE_S)
        if self._process.returncode is None:
            self._process.returncode = -signal.SIGKILL

    def _signal(self, how: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, how)
