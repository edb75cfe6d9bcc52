"""The tests that claims name, of which topics have some of their own."""

from analysis.claims import contests, gains, releases
from analysis.claims.outcome import CONDITIONS, TESTS

__all__ = ["CONDITIONS", "TESTS", "contests", "gains", "releases"]
