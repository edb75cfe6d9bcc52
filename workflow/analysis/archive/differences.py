"""Where two versions of a file differ: line, key or column, and both values."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from analysis.formats.text import count, plain

MAX_SHOWN = 60  # characters of a value


def first_difference(name: str, found: bytes, expected: bytes) -> str:
    """'line 5, ms_per_step: 20.02, expected 20.01': the first difference, and how many lines
    differ.
    """
    try:
        old, new = found.decode("utf-8"), expected.decode("utf-8")
    except UnicodeDecodeError:
        return _first_byte(found, expected)
    if name.endswith(".json") and (text := _in_json(old, new)):
        return text
    return _in_lines(old, new, csv_header=name.endswith(".csv"))


def _first_byte(found: bytes, expected: bytes) -> str:
    pairs = zip(found, expected, strict=False)
    place = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(found), len(expected)))
    return f"byte {place} of {len(found)}, expected {len(expected)} bytes"


def _in_json(found: str, expected: str) -> str | None:
    """The first key with another value; None where either is no JSON, or only the spelling
    differs.
    """
    try:
        changes = list(_changes("", json.loads(found), json.loads(expected)))
    except (ValueError, RecursionError):
        return None
    if not changes:
        return None
    key, was, expected_value = changes[0]
    text = f"{key or '/'}: {_short(was)}, expected {_short(expected_value)}"
    return text + (f" ({count(len(changes), 'such value')})" if len(changes) > 1 else "")


def _changes(key: str, found: Any, expected: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in sorted(found.keys() | expected.keys()):
            yield from _changes(f"{key}/{name}", found.get(name), expected.get(name))
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, pair in enumerate(zip(found, expected, strict=True)):
            yield from _changes(f"{key}/{index}", *pair)
    elif found != expected or type(found) is not type(expected):
        yield key, found, expected


def _in_lines(found: str, expected: str, csv_header: bool) -> str:
    old, new = found.split("\n"), expected.split("\n")
    length = max(len(old), len(new))
    lines = [i for i in range(length) if old[i : i + 1] != new[i : i + 1]]
    if not lines:
        return "the same"
    first = lines[0]
    a, b = (text[first] if first < len(text) else "" for text in (old, new))
    text = _in_columns(old[0], a, b) if csv_header and first else None
    text = f"line {first + 1}{text or f': {_around(a, b)}'}"
    return text + (f" ({len(lines)} such lines)" if len(lines) > 1 else "")


def _in_columns(header: str, found: str, expected: str) -> str | None:
    """', ms_per_step: 20.02, expected 20.01' where the lines have the header's columns."""
    titles, a, b = (next(csv.reader(io.StringIO(line)), []) for line in (header, found, expected))
    if not len(titles) == len(a) == len(b):
        return None
    named = zip(titles, a, b, strict=True)
    title, was, due = next(((t, x, y) for t, x, y in named if x != y), ("", found, expected))
    return f", {plain(title)}: {_short(was)}, expected {_short(due)}"


def _around(found: str, expected: str) -> str:
    """The place where two lines part, with some characters before and after it."""
    pairs = zip(found, expected, strict=False)
    place = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(found), len(expected)))
    start = max(0, place - MAX_SHOWN // 2)
    return f"{_short(found[start:])}, expected {_short(expected[start:])}"


def _short(value: Any) -> str:
    text = plain(value if isinstance(value, str) else json.dumps(value))
    return f"{text[:MAX_SHOWN]}..." if len(text) > MAX_SHOWN else text or "nothing"
