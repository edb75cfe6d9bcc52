"""How often verdicts on native code are wrong: simulated rounds whose truth is known."""

import math
import random

import pytest

from analysis.statistics.intervals import MARGIN, paired_ratio
from analysis.statistics.payoff import Pays, pays

SCATTER, ROUNDS, TRIALS = 0.02, 3, 2000


def way(rng, mean_ms):
    """Times of three rounds, each with its own speed."""
    return {number: mean_ms * math.exp(rng.gauss(0, SCATTER)) for number in range(ROUNDS)}


def rate(verdict, gain, of_framework=2, native=3, payoffs=1):
    """Of trials in which every way of a kind takes the same time, and native ones gain so much."""
    rng, found = random.Random(5), 0
    for _ in range(TRIALS):
        own = [way(rng, 10.0) for _ in range(of_framework)]
        new = [way(rng, 10.0 / gain) for _ in range(native)]
        gains = [[paired_ratio(base, times) for base in own] for times in new]
        found += pays(gains, payoffs) is verdict
    return found / TRIALS


@pytest.mark.parametrize("native", [1, 3])
@pytest.mark.parametrize("of_framework", [1, 2])
def test_neither_verdict_is_given_wrongly_more_often_than_an_interval_errs(native, of_framework):
    """At the margin itself both would be wrong: one side of a 95 % interval, and what chance adds
    to so many trials.
    """
    most = 0.025 + 3 * math.sqrt(0.025 * 0.975 / TRIALS)
    ways = {"of_framework": of_framework, "native": native}
    assert rate(Pays.YES, 1 + MARGIN, **ways) <= most
    assert rate(Pays.NO, 1.0001 * (1 + MARGIN), **ways) <= most


def test_a_large_gain_is_mostly_shown_and_none_mostly_is_not_called_one():
    assert rate(Pays.YES, 2.0) > 0.99
    assert rate(Pays.YES, 1.0) < 0.01
    assert rate(Pays.NO, 0.7) > 0.95


def test_a_yes_among_several_payoffs_needs_more():
    alone, among = (rate(Pays.YES, 1.1, payoffs=number) for number in (1, 5))
    assert among < 0.8 * alone


def test_without_a_round_in_common_nothing_is_shown():
    assert pays([]) is pays([[]]) is pays([[None]]) is Pays.NOT_SHOWN
