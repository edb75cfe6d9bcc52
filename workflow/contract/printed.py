"""Warnings that frameworks print to the log instead of using Python's ``warnings``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

MOST = 20  # warnings of one run; the log has them all
LENGTH = 300  # characters of a warning

# The C++ libraries' and torch's own format, "W0000 00:00:17.8 123 random_ops.cc:62] words", and
# Python's, "WARNING:name:words".
_WARNING = re.compile(
    r"\[?[WE]\d{4} \d\d:\d\d:[\d.]+\s+(?:\d+ +)?(?P<place>\S+:\d+)\] (?P<text>.+)"
    r"|(?:WARNING|ERROR):(?P<name>[\w.]+):(?P<message>.+)"
)


def warnings(lines: Iterable[str]) -> list[str]:
    """One warning for each place in the sources that warned, in the order of the lines."""
    found: dict[str, str] = {}
    for line in lines:
        match = _WARNING.match(line)
        if match:
            place, text = match["place"] or match["name"], match["text"] or match["message"]
            key = match["place"] or line
            found.setdefault(key, f"{PurePath(place).name}: {text.strip()}"[:LENGTH])
    return list(found.values())[:MOST]
