"""The ratio of two cells of two archives: Welch's interval, plain and with moderated variances."""

import math
import random
from statistics import median, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from analysis.compare.welch import welch_ratio
from analysis.statistics.moderation import prior_of

RUNS = st.lists(st.floats(0.01, 1000), min_size=2, max_size=8)


@pytest.mark.filterwarnings("ignore:Precision loss")
@given(RUNS, RUNS)
def test_welch_is_scipys(times, base):
    ratio, inverse = welch_ratio(times, base), welch_ratio(base, times)
    assert ratio.value == pytest.approx(1 / inverse.value)
    assert ratio.interval.low == pytest.approx(1 / inverse.interval.high)
    expected = ttest_ind(
        list(map(math.log, times)), list(map(math.log, base)), equal_var=False
    ).confidence_interval()
    if math.isnan(expected.low) or len({*times}) == 1 or len({*base}) == 1:
        return
    assert ratio.interval.low == pytest.approx(math.exp(expected.low), rel=1e-6)
    assert ratio.interval.high == pytest.approx(math.exp(expected.high), rel=1e-6)


def test_welch_covers_the_truth():
    """Three runs against five, the noise of one twice that of the other: about 95 % of 2,000."""
    noise, covered = random.Random(1), 0
    for _ in range(2000):
        times = [math.exp(noise.gauss(0.1, 0.012)) for _ in range(3)]
        base = [math.exp(noise.gauss(0.0, 0.006)) for _ in range(5)]
        interval = welch_ratio(times, base).interval
        covered += interval.low <= math.exp(0.1) <= interval.high
    assert 0.93 <= covered / 2000 <= 0.97


def test_variances_that_rows_lend_each_other_cover_the_truth_with_narrower_intervals():
    """Twelve rows of one column, three runs in each archive: about 95 % of 3,600 intervals."""
    noise, covered, narrower = random.Random(2), 0, []
    for _ in range(300):
        rows = [[noise.gauss(0.0, 0.02) for _ in range(3)] for _ in range(24)]
        lent = prior_of((variance(logs), 2) for logs in rows).moderated
        for pair in zip(rows[:12], rows[12:], strict=True):
            cells = [list(map(math.exp, logs)) for logs in pair]
            found = welch_ratio(*cells, (lent, lent)).interval
            covered += found.low <= 1 <= found.high
            narrower.append(found.half_width / welch_ratio(*cells).interval.half_width)
    assert 0.94 <= covered / 3600 <= 0.99 and median(narrower) < 0.9


def test_welch_without_interval_or_spread():
    assert welch_ratio([2.0], [1.0, 1.0]).interval is None
    ratio = welch_ratio([2.0, 2.0], [1.0, 1.0])
    assert (ratio.interval.low, ratio.interval.high) == (2.0, 2.0) and ratio.value == 2.0
