"""The outcome of a claim's test.

`holds` is None while the intervals do not decide; a single run has no interval.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


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


def all_hold(found: list[bool | None]) -> bool | None:
    """True if all hold, False as soon as one does not, None while one is undecided."""
    return False if False in found else None if None in found else True
