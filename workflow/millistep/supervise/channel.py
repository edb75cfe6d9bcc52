"""The pipe on which a measured process reports: events as lines of JSON, and nothing else."""

import json
import os
import select
from typing import Any

MAX_EVENT = 16 * 2**20  # bytes; the timing of a long run is some 10 KiB
SHOWN = 80  # bytes of a line that is no event


class NoEvent(Exception):
    """Something else than an event was written to the pipe: what follows cannot be trusted."""


class Channel:
    """A pipe. ``writer`` is the process's end, to be closed here once the process has it."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        self._unread = bytearray()

    def ready(self, timeout_s: float) -> bool:
        """Return True if there is something to read within that time."""
        return bool(select.select([self._reader], [], [], timeout_s)[0])

    def read(self) -> list[dict[str, Any]] | None:
        """Return the events that are complete by now; None if no process has the pipe open any
        more.

        Raises :class:`NoEvent`.
        """
        data = os.read(self._reader, 65536)
        if not data:
            return None
        self._unread += data
        if b"\n" not in data:
            if len(self._unread) > MAX_EVENT:
                raise NoEvent(f"more than {MAX_EVENT // 2**20} MiB in one event")
            return []
        *lines, rest = bytes(self._unread).split(b"\n")
        self._unread = bytearray(rest)
        return [_event(line) for line in lines]

    def close(self) -> None:
        os.close(self._reader)


def _event(line: bytes) -> dict[str, Any]:
    try:
        event: dict[str, Any] = json.loads(line)
        if isinstance(event["event"], str):
            return event
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise NoEvent(f"something else wrote to the channel of its events: {line[:SHOWN]!r}")
