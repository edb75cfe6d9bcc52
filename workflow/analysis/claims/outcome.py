"""What a test of a claim found, and how intervals decide.

`holds` is None while the intervals do not decide; a single run has none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.comparisons.gains import Gain
from analysis.statistics.intervals import Interval


@dataclass(frozen=True)
class Outcome:
    """What a test found, as text and numbers."""

    holds: bool | None
    text: str
    tested: bool = True  # False when there was nothing to look at
    evidence: dict[str, Any] = field(default_factory=dict)


def untested(why: str) -> Outcome:
    """There was nothing to look at."""
    return Outcome(None, why, tested=False)


Test = Callable[..., Outcome]  # from results and a claim's parameters
TESTS: dict[str, Test] = {}
# Of tests that have their own: from results, reference and parameters to what differs.
CONDITIONS: dict[str, Callable[..., Any]] = {}


def claim_test(conditions: Callable[..., Any] | None = None) -> Callable[[Test], Test]:
    """Register a function as the test of its name, and what a run is compared with for it."""

    def register(test: Test) -> Test:
        TESTS[test.__name__] = test
        if conditions:
            CONDITIONS[test.__name__] = conditions
        return test

    return register


def above(interval: Interval | None, limit: float) -> bool | None:
    """Whether a value is at least the limit; None when its interval includes the limit."""
    if interval is None:
        return None
    return True if interval.low >= limit else False if interval.high < limit else None


def in_every_row(gains: Sequence[Gain], limit: float) -> bool | None:
    """Whether each of some rows gains at least so much. True needs every row; one is enough for
    False, and with many rows chance makes one, so its interval has to hold for all rows at once.
    """
    if all(above(gain.interval, limit) for gain in gains):
        return True
    refuted = (above(gain.together(len(gains)), limit) is False for gain in gains)
    return False if any(refuted) else None


def all_hold(found: list[bool | None]) -> bool | None:
    """False as soon as one does not hold; None while one is undecided."""
    return False if False in found else None if None in found else True
