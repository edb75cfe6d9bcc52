"""The best of a family over the best of another, and means of columns that lost rounds."""

import math

import numpy as np
import pytest

from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.families import family_interval, luck_of_choice
from analysis.statistics.intervals import Sitting, paired_ratio, together


def runs(*times):
    return dict(enumerate(times, start=1))


def logs(*times):
    return {number: math.log(ms) for number, ms in runs(*times).items()}


def test_of_one_column_each_it_is_the_ratio_itself():
    ratio = paired_ratio(runs(20, 21, 22), runs(10, 10.1, 10.3))
    assert family_interval([[ratio]]) == ratio.interval
    assert luck_of_choice([logs(10, 11, 12)], [logs(20, 21, 22)]) == 1.0


def test_the_ends_by_hand():
    """Of two new columns the faster one's lower end, of two base columns the faster one's ends."""
    base, other = runs(20.0, 20.2, 20.1), runs(30.0, 30.3, 30.0)
    new, slow = runs(10.0, 10.1, 10.1), runs(15.0, 15.2, 15.1)
    ratios = [[paired_ratio(b, n) for b in (base, other)] for n in (new, slow)]
    found = family_interval(ratios)
    assert found.low == pytest.approx(together(ratios[0][0], 2).low)
    assert found.high == pytest.approx(together(ratios[0][0], 2).high)
    assert family_interval(ratios, 5).low < found.low < ratios[0][0].interval.low


def test_the_interval_holds_for_whichever_is_the_best():
    """Three equal new columns: below the truth in at most 2.5 %, as is above it."""
    generator = np.random.default_rng(1)
    below = above = 0
    for _ in range(1500):
        times = np.exp(0.02 * generator.normal(size=(4, 3))).tolist()
        base, *news = (runs(*each) for each in times)
        found = family_interval([[paired_ratio(base, new)] for new in news])
        below, above = below + (found.high < 1), above + (found.low > 1)
    assert above <= 0.03 * 1500 and below <= 0.03 * 1500


def test_luck_is_what_choosing_adds():
    """Round by round another one of two equal columns is lucky: none is, where it had no say."""
    news = [logs(9.0, 10.0, 10.0), logs(10.0, 10.0, 9.5)]
    found = luck_of_choice(news, [logs(10.0, 10.0, 10.0)])
    chosen = -(math.log(0.9) / 3)
    # without round 1 the second is faster, and took 10 in it; without 2 and 3 the first is
    unseen = -(0 + 0 + 0) / 3
    assert math.log(found) == pytest.approx(chosen - unseen)
    assert luck_of_choice([{1: 0.0, 2: 0.0}] * 2, [{1: 0.0, 2: 0.0}]) == 1.0  # two rounds


def test_a_column_that_lost_the_slow_round_is_taken_as_if_it_had_it():
    row = {"a": runs(10.0, 10.0, 12.0), "b": runs(20.0, 20.0, 24.0), "c": runs(10.0, 10.0)}
    found = adjusted_logs(row)
    assert found["c"] == pytest.approx(found["a"]) and found["c"] > math.log(10)
    assert found["b"] - found["a"] == pytest.approx(math.log(2))
    complete = adjusted_logs({name: row[name] for name in "ab"})
    assert complete["a"] == pytest.approx(math.log(10 * 10 * 12) / 3)


def test_rounds_of_nobody_else_and_rows_on_several_nodes_are_left_alone():
    alone = {"a": {1: 10.0, 2: 11.0}, "b": {3: 20.0, 4: 21.0}}
    assert adjusted_logs(alone)["a"] == pytest.approx((math.log(10) + math.log(11)) / 2)
    nodes = {
        "a": {Sitting(1, "x", "m"): 10.0, Sitting(2, "y", "n"): 12.0},
        "b": {Sitting(1, "x", "m"): 10.0},
    }
    assert adjusted_logs(nodes)["b"] == pytest.approx(math.log(10))
