"""Output of a measuring process: its events on a pipe, and its log, which is kept short."""

import contextlib
import json
import os
import re
import select
from pathlib import Path
from typing import Any

MAX_EVENT = 16 * 2**20  # bytes; the timing of a long run is some 10 KiB
SHOWN = 80  # bytes of a line that is no event


class NoEvent(Exception):
    """Something else than an event was written to the pipe: what follows cannot be trusted."""


class Channel:
    """A pipe. ``writer`` is the process's end, to be closed here once the process has it."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        self._unread = b""

    def read(self, timeout_s: float) -> list[dict[str, Any]] | None:
        """Return the events that are complete by now; None once no process has the pipe open."""
        if not select.select([self._reader], [], [], timeout_s)[0]:
            return []
        data = os.read(self._reader, 65536)
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > MAX_EVENT:
            raise NoEvent(f"more than {MAX_EVENT // 2**20} MiB in one event")
        return [_event(line) for line in lines]

    def close(self) -> None:
        os.close(self._reader)


def _event(line: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        event: dict[str, Any] = json.loads(line)
        if isinstance(event["event"], str):
            return event
    raise NoEvent(f"the model's code wrote to a file that it did not open: {line[:SHOWN]!r}")


TAIL_LINES, TAIL_LENGTH = 20, 500
FIRST_BYTES, LAST_BYTES = 8 * 2**20, 64 * 2**10  # kept of a log that grows without end
# Libraries' messages before they end a process: C++, CPython, XLA, TensorFlow, LLVM, glibc, CUDA.
WHY = re.compile(
    r"what\(\):\s+(\S.*)|((?:Fatal Python error|Check failed|LLVM ERROR|CUDA error): .+"
    r"|(?:malloc|realloc|free|munmap_chunk)\(\): .+|CUDA_ERROR_\w+.*)"
)


class Log:
    """The file that a process prints to, cut in the middle whenever it has become too long."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._cut_bytes = 0
        path.write_bytes(b"")

    def shorten(self) -> None:
        """Cut a long log in the middle, with a line that has the omitted size."""
        with contextlib.suppress(OSError):  # a log that is gone or that is read-only costs no run
            size = self.path.stat().st_size
            if size <= 2 * FIRST_BYTES:
                return
            with open(self.path, "r+b") as file:
                file.seek(size - LAST_BYTES)
                last = file.read(LAST_BYTES)
                file.truncate(FIRST_BYTES)
            self._cut_bytes += size - FIRST_BYTES - LAST_BYTES
            with open(self.path, "ab") as file:
                file.write(f"\n[millistep: {self._cut_bytes / 2**20:.0f} MiB omitted]\n".encode())
                file.write(last)


def tail(log: Path) -> list[str]:
    return [line[:TAIL_LENGTH] for line in _last_lines(log)[-TAIL_LINES:]]


def last_words(log: Path) -> str | None:
    """Return the reason of a crash: the last line in which a library gives one; None without."""
    said = [found for line in _last_lines(log) if (found := WHY.search(line))]
    return (said[-1][1] or said[-1][2]).strip()[:TAIL_LENGTH] if said else None


def _last_lines(log: Path) -> list[str]:
    try:
        with open(log, "rb") as file:
            file.seek(max(0, log.stat().st_size - LAST_BYTES))
            return file.read(LAST_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []
