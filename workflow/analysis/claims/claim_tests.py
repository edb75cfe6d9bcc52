"""The tests that claims name, of which topics have some of their own."""

from analysis.claims import contests, devices, gains, releases
from analysis.claims.outcome import TESTS

__all__ = ["TESTS", "contests", "devices", "gains", "releases"]
