"""Intervals of shares: over runs, and of how many cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.intervals import exact_share_interval


def test_exact_intervals_of_a_share_by_hand():
    # none of 6: 1 - 0.025^(1/6); 3 of 10: as tabulated
    none, some = exact_share_interval(0, 6), exact_share_interval(3, 10)
    assert (none.low, none.high) == pytest.approx((0, 1 - 0.025 ** (1 / 6)))
    assert (some.low, some.high) == pytest.approx((0.0667, 0.6525), abs=1e-4)


@given(of=st.integers(1, 80), data=st.data())
def test_an_exact_interval_holds_the_share_and_mirrors(of, data):
    number = data.draw(st.integers(0, of))
    one, other = exact_share_interval(number, of), exact_share_interval(of - number, of)
    assert 0 <= one.low <= number / of <= one.high <= 1
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))
