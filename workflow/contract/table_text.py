"""The format of times that are printed while measuring."""

from __future__ import annotations

import math

NA = "NA"
SIGNIFICANT = 4  # digits of a time; the integer part is never rounded away


def decimals(value_ms: float) -> int:
    """Return the decimal places that give a time its significant digits: 214.5, 21.45, 2.145,
    1307.
    """
    if value_ms <= 0:
        return SIGNIFICANT - 1
    places = max(0, SIGNIFICANT - 1 - math.floor(math.log10(value_ms)))
    # 9.9996 rounds up to one more integer digit
    return max(0, places - 1) if round(value_ms, places) >= 10 ** (SIGNIFICANT - places) else places


def ms(value_ms: float | None) -> str:
    """Return a time in ms, with the digits of :func:`decimals`; NA without one."""
    return NA if value_ms is None else f"{value_ms:.{decimals(value_ms)}f}"
