"""A measuring process's output: its log, of bounded size, and what of that goes into the record."""

from pathlib import Path
from typing import BinaryIO

TAIL_LINES, TAIL_LENGTH = 20, 500
PRINTED_LINES, PRINTED_LENGTH = 300, 400
PRINTED_BYTES = 4 * 2**20  # of the log that are looked at for them
FIRST_BYTES, LAST_BYTES = 8 * 2**20, 64 * 2**10  # that are kept of a log that grows without end


class Log:
    """The file that a process prints to, cut in the middle whenever it has become too long."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._cut_bytes = 0
        path.write_bytes(b"")

    def to_append(self) -> BinaryIO:
        """What the process prints to: at the end, wherever that is."""
        return open(self.path, "ab")

    def size_bytes(self) -> int:
        return self.path.stat().st_size

    def shorten(self) -> None:
        """Keep beginning and end, where there is much between them, and say how much that was."""
        size = self.size_bytes()
        if size <= 2 * FIRST_BYTES:
            return
        with open(self.path, "r+b") as file:
            file.seek(size - LAST_BYTES)
            last = file.read(LAST_BYTES)
            file.truncate(FIRST_BYTES)
        self._cut_bytes += size - FIRST_BYTES - LAST_BYTES
        with self.to_append() as file:
            file.write(f"\n[millistep: {self._cut_bytes / 2**20:.0f} MiB left out]\n".encode())
            file.write(last)


def tail(log: Path) -> list[str]:
    """Its last lines."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, log.stat().st_size - LAST_BYTES))
            lines = file.read(LAST_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line[:TAIL_LENGTH] for line in lines[-TAIL_LINES:]]


def printed(log: Path, size_bytes: int | None = None) -> list[str]:
    """Its first lines; where these are not all, the last entry says so.

    size_bytes: of the beginning that counts; what probes and profiler cause comes after it.
    """
    try:
        with open(log, "rb") as file:
            size = log.stat().st_size if size_bytes is None else size_bytes
            text = file.read(min(size, PRINTED_BYTES))
    except OSError:
        return []
    lines = text.decode(errors="replace").splitlines()
    if len(lines) > PRINTED_LINES or size > PRINTED_BYTES:
        more = f"[millistep: these are the first lines of {size} bytes; the log has more]"
        lines = [*lines[: PRINTED_LINES - 1], more]
    return [line[:PRINTED_LENGTH] for line in lines]
