"""The best of a family over the best of another, and means of columns that lost rounds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.statistics.best_set import Contest, shown_slower
from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.families import family_interval, luck_of_choice
from analysis.statistics.intervals import Sitting, Verdict, verdict


def runs(*times):
    return dict(enumerate(times, start=1))


def logs(*times):
    return {number: math.log(ms) for number, ms in runs(*times).items()}


def test_of_one_column_each_it_is_the_ratio_itself():
    held = Contest({"base": runs(20, 21, 22), "new": runs(10, 10.1, 10.3)})
    assert family_interval(held, ["new"], ["base"]) == held.ratio("base", "new").interval
    assert luck_of_choice([logs(10, 11, 12)], [logs(20, 21, 22)]) == 1.0


def test_the_ends_by_hand():
    """Of two new columns the faster one's lower end, of two base columns the faster one's ends;
    corrected for the base columns alone where one of the new ones is shown slower.
    """
    row = {"base": runs(20.0, 20.2, 20.1), "other": runs(30.0, 30.3, 30.0)}
    row |= {"new": runs(10.0, 10.1, 10.1), "like": runs(10.1, 10.3, 10.0)}
    held, families = Contest(row), (["new", "like"], ["base", "other"])
    ratio, found = held.ratio("base", "new"), family_interval(held, *families)
    assert found.low == pytest.approx(ratio.together(2).low)
    highs = [held.ratio("base", name).together(2).high for name in ("new", "like")]
    assert found.high == pytest.approx(max(highs))
    assert family_interval(held, *families, 5).low < found.low < ratio.interval.low
    held = Contest({**row, "like": runs(15.0, 15.2, 15.1)})
    found = family_interval(held, *families)
    assert found.low == pytest.approx(ratio.interval.low)
    assert found.high == pytest.approx(ratio.together(2).high)


def test_a_column_of_a_single_run_silences_its_family_only_if_it_took_least():
    row = {"base": runs(20.0, 20.2, 20.1), "new": runs(10.0, 10.1, 10.2), "lost": runs(11.0)}
    alone = family_interval(Contest(row), ["new"], ["base"])
    assert family_interval(Contest(row), ["new", "lost"], ["base"]) == alone
    fastest = Contest({**row, "lost": runs(9.0)})
    assert family_interval(fastest, ["new", "lost"], ["base"]) is None


def test_the_interval_holds_for_whichever_is_the_best():
    """Three equal new columns: below the truth in at most 2.5 %, as is above it."""
    generator = np.random.default_rng(1)
    below = above = 0
    for _ in range(1500):
        times = np.exp(0.02 * generator.normal(size=(4, 3))).tolist()
        base, *news = (runs(*each) for each in times)
        found = family_interval(
            Contest({"base": base, **dict(zip("abc", news, strict=True))}), "abc", ["base"]
        )
        below, above = below + (found.high < 1), above + (found.low > 1)
    assert above <= 0.03 * 1500 and below <= 0.03 * 1500


@pytest.mark.parametrize("rounds", [3, 5])
@pytest.mark.parametrize("scatter", [0.02, 0.2])
@pytest.mark.parametrize("levels", [(1, 1.3, 1.3, 1.02, 1.3), (1, 1.1, 1.2, 1.02), (1, 1, 1, 1.02)])
def test_it_holds_also_where_some_are_shown_slower(levels, scatter, rounds):
    """Three new columns: 95 % of intervals hold the true gain."""
    generator, names = np.random.default_rng(1), "abcde"[: len(levels)]
    missed = 0
    for _ in range(1000):
        times = (levels * np.exp(scatter * generator.normal(size=(rounds, len(levels))))).T.tolist()
        held = Contest({name: runs(*each) for name, each in zip(names, times, strict=True)})
        found = family_interval(held, names[:3], names[3:])
        missed += not found.low <= 1.02 <= found.high
    assert missed <= 0.06 * 1000


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), rounds=st.integers(2, 5), news=st.integers(1, 4))
def test_a_family_is_shown_slower_where_all_its_members_are(seed, rounds, news):
    """Than a fastest one of the other, in a row that has others too; in either direction."""
    generator = np.random.default_rng(seed)
    levels = np.repeat([1.0, generator.uniform(1.05, 5), 1.2], [news, 2, 2])
    scatter = generator.uniform(0.001, 0.3, len(levels))
    times = (levels * np.exp(scatter * generator.normal(size=(rounds, len(levels))))).T.tolist()
    row = {str(place): runs(*each) for place, each in enumerate(times)}
    first, second = [*row][:news], [*row][news : news + 2]
    held = Contest({name: row[name] for name in first + second})
    whole = Contest(row)
    assume(whole.fastest in first and {*second} <= shown_slower(whole.p_values))
    assert verdict(family_interval(held, first, second)) is Verdict.SLOWER
    assert verdict(family_interval(held, second, first)) is Verdict.FASTER


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


def test_rounds_of_nobody_else_are_left_alone_and_a_node_counts_as_a_round():
    alone = {"a": {1: 10.0, 2: 11.0}, "b": {3: 20.0, 4: 21.0}}
    assert adjusted_logs(alone)["a"] == pytest.approx((math.log(10) + math.log(11)) / 2)
    nodes = {
        "a": {Sitting(1, "x", "m"): 10.0, Sitting(2, "y", "n"): 12.0},
        "b": {Sitting(1, "x", "m"): 10.0},
        "c": {Sitting(1, "x", "m"): 20.0, Sitting(2, "y", "n"): 24.0},
    }
    found = adjusted_logs(nodes)
    assert found["b"] == pytest.approx(found["a"]) == pytest.approx(math.log(10 * 12) / 2)
