"""What a test of a claim found, and how intervals decide.

`holds` is None when the intervals do not tell; a single run never does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from analysis.statistics import CONFIDENCE, Interval, Ratio, interval_around, t_quantile


@dataclass(frozen=True)
class Outcome:
    """What a test found, in words and numbers."""

    holds: bool | None
    words: str
    tested: bool = True  # False when there was nothing to look at
    evidence: dict[str, Any] = field(default_factory=dict)


def above(interval: Interval | None, limit: float) -> bool | None:
    """Whether a value is at least the limit; None when its interval does not tell."""
    if interval is None:
        return None
    return True if interval.low >= limit else False if interval.high < limit else None


def together(ratio: Ratio, rows: int) -> Interval | None:
    """The interval of a ratio, so wide that those of so many rows hold all at once (Bonferroni).

    For a claim about every row, which a single row refutes. The degrees of freedom are those of
    the ratio's own rounds, also where its scatter was moderated: that is never too narrow.
    """
    if ratio.interval is None or rows < 2:
        return ratio.interval
    freedom = ratio.rounds - 1
    error = math.log(ratio.interval.high / ratio.interval.low) / 2 / t_quantile(freedom)
    return interval_around(math.log(ratio.value), widening(freedom, rows) * error, freedom)


def widening(degrees_of_freedom: int, rows: int) -> float:
    """By how much intervals are wider that hold all at once for so many rows."""
    from scipy.special import stdtrit  # here, because importing it takes longer than most use

    corrected = float(stdtrit(degrees_of_freedom, 1 - (1 - CONFIDENCE) / 2 / rows))
    return corrected / t_quantile(degrees_of_freedom)


def all_hold(found: list[bool | None]) -> bool | None:
    """False as soon as one does not hold; None while one does not tell."""
    return False if False in found else None if None in found else True


def capital(words: str) -> str:
    """The words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]
