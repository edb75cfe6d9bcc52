"""Warnings that frameworks print to the log instead of giving them to Python's ``warnings``."""

import re
from pathlib import Path

MOST = 20  # of one run; the log has them all
LENGTH = 300  # characters of one

# The C++ libraries' and torch's own format, "W0000 00:00:17.8 123 random_ops.cc:62] words", and
# Python's, "WARNING:name:words".
_PRINTED = re.compile(
    r"\[?[WE]\d{4} \d\d:\d\d:[\d.]+\s+(?:\d+ +)?(?P<place>\S+:\d+)\] (?P<words>.+)"
    r"|(?:WARNING|ERROR):(?P<name>[\w.]+):(?P<said>.+)"
)


def printed(log: Path, size_bytes: int | None = None) -> list[str]:
    """One entry for each place in the sources that warned, in the order of the log.

    size_bytes: of the beginning that counts; what probes and profiler cause comes after it.
    """
    try:
        with open(log, "rb") as file:
            text = file.read(-1 if size_bytes is None else size_bytes)
    except OSError:
        return []
    found: dict[str, str] = {}
    for line in text.decode(errors="replace").splitlines():
        match = _PRINTED.match(line)
        if match:
            place, words = match["place"] or match["name"], match["words"] or match["said"]
            key = match["place"] or line
            found.setdefault(key, f"{Path(place).name}: {words.strip()}"[:LENGTH])
    return list(found.values())[:MOST]
