"""How times and lines of the table are printed: while they are measured, and in the table."""

from __future__ import annotations

import math
from collections.abc import Sequence

NA = "NA"
SIGNIFICANT = 4  # digits of a time; the integer part is never rounded away
LABELS = ("Model and task", "Batch size")
MOST_COLUMNS = 6  # beside each other on a page or a terminal
WITH_INTERVAL = len("12.34 n.c. [12.01, 12.69]")  # what a cell of several runs needs


def decimals(value_ms: float) -> int:
    """Decimal places that give a time its significant digits: 214.5, 21.45, 2.145, 1307."""
    if value_ms <= 0:
        return SIGNIFICANT - 1
    places = max(0, SIGNIFICANT - 1 - math.floor(math.log10(value_ms)))
    # 9.9996 rounds up to one more integer digit
    return max(0, places - 1) if round(value_ms, places) >= 10 ** (SIGNIFICANT - places) else places


def ms(value_ms: float | None) -> str:
    """A time in ms by the one digit rule."""
    return NA if value_ms is None else f"{value_ms:.{decimals(value_ms)}f}"


def parts(columns: int, most: int = MOST_COLUMNS) -> list[slice]:
    """Which columns stand beside each other: all, or even parts of at most so many."""
    number = max(1, -(-columns // most))
    size = -(-columns // number)
    return [slice(size * place, size * place + size) for place in range(number)]


def widths(
    lines: Sequence[Sequence[str]], labels: int = len(LABELS), intervals: bool = False
) -> list[int]:
    """Of each column; the first ones are labels, the others may have to hold intervals as well."""
    found = [max(map(len, column)) for column in zip(*lines, strict=True)]
    least = WITH_INTERVAL if intervals else 0
    return found[:labels] + [max(width, least) for width in found[labels:]]


def aligned(line: Sequence[str], widths: Sequence[int], labels: int = len(LABELS)) -> str:
    """One line: text to the left, the batch size, which is the last label, and times to the
    right.
    """
    cells = [
        text.ljust(width) if place < labels - 1 else text.rjust(width)
        for place, (text, width) in enumerate(zip(line, widths, strict=True))
    ]
    return f"| {' | '.join(cells)} |"
