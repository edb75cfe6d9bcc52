"""Where two versions of a file differ: the line, the column of a CSV file, and both values."""

import csv
from itertools import zip_longest

from analysis.formats.text import plain

MAX_SHOWN = 60  # characters of a value


def first_difference(name: str, found: bytes, expected: bytes) -> str:
    """'line 5, ms_per_step: 20.02, expected 20.01': the first difference, and how many lines
    differ.
    """
    try:
        old, new = (content.decode("utf-8").split("\n") for content in (found, expected))
    except UnicodeDecodeError:
        place = _alike(found, expected)
        return f"byte {place} of {len(found)}, expected {len(expected)} bytes"
    lines = enumerate(zip_longest(old, new), 1)
    different = [(number, *pair) for number, pair in lines if pair[0] != pair[1]]
    if not different:
        return "the same"
    number, was, due = different[0][0], different[0][1] or "", different[0][2] or ""
    column = _column(old[0], was, due) if name.endswith(".csv") else None
    text = f"line {number}{column or f': {_around(was, due)}'}"
    return text + (f" ({len(different)} such lines)" if different[1:] else "")


def _column(header: str, found: str, expected: str) -> str | None:
    """', ms_per_step: 20.02, expected 20.01' where the lines have the header's columns."""
    read = [next(csv.reader([line]), []) for line in (header, found, expected)]
    if len({*map(len, read)}) > 1 or header in (found, expected):
        return None
    named = (entry for entry in zip(*read, strict=True) if entry[1] != entry[2])
    title, was, due = next(named, ("", found, expected))
    return f", {plain(title)}: {_short(was)}, expected {_short(due)}"


def _alike(found: str | bytes, expected: str | bytes) -> int:
    """The length of the beginning that both have in common."""
    pairs = enumerate(zip(found, expected, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(found), len(expected)))


def _around(found: str, expected: str) -> str:
    """The place where two lines part, with some characters before and after it."""
    start = max(0, _alike(found, expected) - MAX_SHOWN // 2)
    return f"{_short(found[start:])}, expected {_short(expected[start:])}"


def _short(text: str) -> str:
    line = plain(text)
    return f"{line[:MAX_SHOWN]}..." if len(line) > MAX_SHOWN else line or "nothing"
