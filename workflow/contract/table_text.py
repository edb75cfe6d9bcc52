"""Formats of times and lines, shared by the table and by the lines printed while measuring."""

from __future__ import annotations

import math
from collections.abc import Sequence

NA = "NA"
SIGNIFICANT = 4  # digits of a time; the integer part is never rounded away
LABELS = ("Model and task", "Batch size")
MOST_COLUMNS = 6  # side by side on a page or a terminal
WITH_INTERVAL = len("12.34 n.c. [12.01, 12.69]")  # width of a cell of several runs


def decimals(value_ms: float) -> int:
    """The decimal places that give a time its significant digits: 214.5, 21.45, 2.145, 1307."""
    if value_ms <= 0:
        return SIGNIFICANT - 1
    places = max(0, SIGNIFICANT - 1 - math.floor(math.log10(value_ms)))
    # 9.9996 rounds up to one more integer digit
    return max(0, places - 1) if round(value_ms, places) >= 10 ** (SIGNIFICANT - places) else places


def ms(value_ms: float | None) -> str:
    """A time in ms, with the digits of :func:`decimals`; NA without one."""
    return NA if value_ms is None else f"{value_ms:.{decimals(value_ms)}f}"


def parts(columns: int, most: int = MOST_COLUMNS) -> list[slice]:
    """The columns that stand side by side: all, or even parts of at most `most`."""
    number = max(1, -(-columns // most))
    size = -(-columns // number)
    return [slice(size * place, size * place + size) for place in range(number)]


def widths(
    lines: Sequence[Sequence[str]], labels: int = len(LABELS), intervals: bool = False
) -> list[int]:
    """The width of each column; labels come first, the others may have to hold intervals."""
    found = [max(map(len, column)) for column in zip(*lines, strict=True)]
    least = WITH_INTERVAL if intervals else 0
    return found[:labels] + [max(width, least) for width in found[labels:]]


def aligned(line: Sequence[str], widths: Sequence[int], labels: int = len(LABELS)) -> str:
    """One line: text is aligned to the left; the batch size, which is the last label, and times to
    the right.
    """
    cells = [
        text.ljust(width) if place < labels - 1 else text.rjust(width)
        for place, (text, width) in enumerate(zip(line, widths, strict=True))
    ]
    return f"| {' | '.join(cells)} |"
