"""Where two versions of a file differ: the line, and both values."""

from itertools import zip_longest

from analysis.formats.text import plain

MAX_SHOWN = 60  # characters of a value


def first_difference(found: bytes, expected: bytes) -> str:
    """'line 5: 20.02, expected 20.01': the first difference, and how many lines differ."""
    try:
        old, new = (content.decode("utf-8").split("\n") for content in (found, expected))
    except UnicodeDecodeError:
        place = _alike(found, expected)
        return f"byte {place} of {len(found)}, expected {len(expected)} bytes"
    lines = enumerate(zip_longest(old, new), 1)
    different = [(number, *pair) for number, pair in lines if pair[0] != pair[1]]
    number, was, due = different[0]
    more = f" ({len(different)} such lines)" if different[1:] else ""
    return f"line {number}: {_around(was or '', due or '')}{more}"


def _alike(found: str | bytes, expected: str | bytes) -> int:
    """The length of the beginning that both have in common."""
    pairs = enumerate(zip(found, expected, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(found), len(expected)))


def _around(found: str, expected: str) -> str:
    """The place where two lines part, with some characters before and after it."""
    start = max(0, _alike(found, expected) - MAX_SHOWN // 2)
    cut = "..." if start else ""
    return f"{cut}{_short(found[start:])}, expected {cut}{_short(expected[start:])}"


def _short(text: str) -> str:
    line = plain(text)
    return f"{line[:MAX_SHOWN]}..." if len(line) > MAX_SHOWN else line or "nothing"
