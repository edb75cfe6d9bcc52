"""The outcome of a claim's test, and how intervals decide it.

`holds` is None while the intervals do not decide; a single run has no interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.comparisons.gains import Gain
from analysis.statistics.intervals import Interval


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test, as text and numbers."""

    holds: bool | None
    text: str
    tested: bool = True  # False when there was nothing to look at
    evidence: dict[str, Any] = field(default_factory=dict)


def untested(why: str) -> Outcome:
    """The outcome of a test that had nothing to look at."""
    return Outcome(None, why, tested=False)


Test = Callable[..., Outcome]  # from results and a claim's parameters
TESTS: dict[str, Test] = {}
# Of tests with conditions of their own: from results, reference, parameters to differences.
CONDITIONS: dict[str, Callable[..., Any]] = {}


def claim_test(conditions: Callable[..., Any] | None = None) -> Callable[[Test], Test]:
    """Register a function as the test of its name, with conditions of its own if it has any."""

    def register(test: Test) -> Test:
        TESTS[test.__name__] = test
        if conditions:
            CONDITIONS[test.__name__] = conditions
        return test

    return register


def above(interval: Interval | None, limit: float) -> bool | None:
    """True if a value is at least the limit; None when its interval includes the limit."""
    if interval is None:
        return None
    return True if interval.low >= limit else False if interval.high < limit else None


def in_every_row(gains: Sequence[Gain], limit: float) -> bool | None:
    """Say if each of some rows gains at least so much. True needs every row. One is enough for
    False, but among many chance makes one, so its interval has to hold for all rows at once.
    """
    if all(above(gain.interval, limit) for gain in gains):
        return True
    refuted = (above(gain.together(len(gains)), limit) is False for gain in gains)
    return False if any(refuted) else None


def all_hold(found: list[bool | None]) -> bool | None:
    """True if all hold, False as soon as one does not, None while one is undecided."""
    return False if False in found else None if None in found else True
