"""How often verdicts on native code are wrong: simulated rounds whose truth is known."""

import math
import random
from types import SimpleNamespace

import pytest

from analysis.comparisons.native import Payoff, Pays
from analysis.comparisons.native_ways import Way, Ways
from analysis.results.timed_operation import Build, TimedOperation
from analysis.statistics.intervals import MARGIN, Sitting, as_measured, geometric_mean

BUILD = Build(4.0, "cc", (), (), ())
SCATTER, ROUNDS, TRIALS = 0.02, 3, 2000


def way(rng, word, mean_ms):
    """A cell of three rounds, each with its own speed."""
    times = {Sitting(number): mean_ms * math.exp(rng.gauss(0, SCATTER)) for number in range(ROUNDS)}
    cell = SimpleNamespace(
        column=SimpleNamespace(name=word),
        compared_ms=times,
        run_ms=times,
        disturbed="",
        steady=True,
        comparable=True,
        scatter=SimpleNamespace(of_pair=lambda *_: as_measured),  # by its own rounds alone
        step_ms=geometric_mean(times.values()),
    )
    build = None if word == "framework" else BUILD
    return Way(cell, {Sitting(0): TimedOperation("mas", word, 1, (1,), 1, None, build)})


def rate(verdict, gain, of_framework=2, native=3):
    """Of trials in which every way of a kind takes the same time, and native ones gain so much."""
    rng, found = random.Random(5), 0
    for _ in range(TRIALS):
        every = [way(rng, "framework", 10.0) for _ in range(of_framework)]
        every += [way(rng, "native", 10.0 / gain) for _ in range(native)]
        found += Payoff(Ways(None, "a framework", tuple(every), ())).pays is verdict
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
