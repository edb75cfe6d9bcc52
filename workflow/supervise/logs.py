"""What of a measuring process's output goes into its record."""

from collections import deque
from pathlib import Path

TAIL_LINES, TAIL_LENGTH = 20, 500
PRINTED_LINES, PRINTED_LENGTH = 300, 400
PRINTED_BYTES = 4 * 2**20  # of the log that are looked at for them


def tail(log: Path) -> list[str]:
    """Its last lines."""
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n")[:TAIL_LENGTH] for line in deque(file, maxlen=TAIL_LINES)]
    except OSError:
        return []


def printed(log: Path, size_bytes: int | None = None) -> list[str]:
    """Its first lines.

    size_bytes: of the beginning that counts; what probes and profiler cause comes after it.
    """
    try:
        with open(log, "rb") as file:
            text = file.read(
                PRINTED_BYTES if size_bytes is None else min(size_bytes, PRINTED_BYTES)
            )
    except OSError:
        return []
    lines = text.decode(errors="replace").splitlines()
    return [line[:PRINTED_LENGTH] for line in lines[:PRINTED_LINES]]
