"""The gaps of the methods text are those that simulated runs decide."""

import math

import numpy as np
import pytest
from scipy.stats import nct, t

from analysis.statistics.best_set import p_slower
from analysis.statistics.intervals import MARGIN, Verdict, as_measured, t_interval, verdict
from analysis.statistics.power import (
    MOST_ROUNDS,
    POWER,
    decided_gap,
    moderation_of,
    rounds_to_decide,
    rounds_to_place,
)


@pytest.mark.parametrize("comparisons", [1, 5])
@pytest.mark.parametrize("runs", [3, 5])
def test_the_plain_gap_is_that_of_the_noncentral_t(runs, comparisons):
    gap = decided_gap(runs, 0.02, comparisons)
    shift = math.log((1 + gap) / (1 + MARGIN)) / (0.02 * math.sqrt(2 / runs))
    needed = t.ppf(1 - 0.025 / comparisons, runs - 1)
    assert nct.sf(needed, runs - 1, shift) == pytest.approx(POWER, abs=0.005)


@pytest.mark.parametrize("moderate", [as_measured, moderation_of(4.0)])
@pytest.mark.parametrize(("runs", "comparisons"), [(3, 1), (3, 5), (5, 1)])
def test_simulated_runs_show_the_gap(runs, comparisons, moderate):
    scatter, true = 0.02, 2 * 0.02**2
    gap = decided_gap(runs, scatter, comparisons, moderate)
    generator = np.random.default_rng(1)
    logs = generator.normal(math.log1p(gap), math.sqrt(true), size=(4000, runs)).tolist()

    def weigh(variance, freedom):
        used, lent = moderate(variance / true, freedom)
        return used * true, lent

    shown = np.mean([p_slower(found, moderate=weigh) <= 0.025 / comparisons for found in logs])
    assert shown == pytest.approx(POWER, abs=0.025)


def test_more_runs_less_scatter_and_the_scatter_of_others_decide_smaller_gaps():
    assert decided_gap(5, 0.02) < decided_gap(3, 0.02)
    assert decided_gap(3, 0.01) < decided_gap(3, 0.02)
    assert decided_gap(3, 0.02) < decided_gap(3, 0.02, comparisons=5)
    assert decided_gap(3, 0.02, 1, moderation_of(4.0)) < decided_gap(3, 0.02)
    assert decided_gap(50, 1e-6) == pytest.approx(MARGIN, abs=1e-4)


@pytest.mark.parametrize(
    ("ratio", "deviation", "shows"),
    [
        (1.05, 0.02, Verdict.SLOWER),
        (0.93, 0.04, Verdict.FASTER),
        (1.005, 0.02, Verdict.SAME),
        (1.0, 0.02, Verdict.SAME),
    ],
)
def test_simulated_rounds_decide_after_as_many_as_predicted_and_not_much_earlier(
    ratio, deviation, shows
):
    rounds = rounds_to_decide(math.log(ratio), deviation)
    generator = np.random.default_rng(1)

    def decided(number):
        logs = generator.normal(math.log(ratio), deviation, size=(2000, number)).tolist()
        return np.mean([verdict(t_interval(found)) is shows for found in logs])

    assert POWER - 0.03 <= decided(rounds) <= 0.95
    assert decided(round(0.7 * rounds)) < POWER


@pytest.mark.parametrize(
    ("ratio", "deviation", "comparisons"), [(1.06, 0.03, 1), (1.06, 0.03, 5), (1.0, 0.02, 5)]
)
def test_a_column_has_its_place_after_as_many_rounds_as_are_told(ratio, deviation, comparisons):
    rounds = rounds_to_place(math.log(ratio), deviation, comparisons)
    generator = np.random.default_rng(1)

    def placed(number):
        logs = generator.normal(math.log(ratio), deviation, size=(2000, number)).tolist()
        if ratio > 1 + MARGIN:
            return np.mean([p_slower(found) <= 0.025 / comparisons for found in logs])
        return np.mean([t_interval(found).high <= 1 + MARGIN for found in logs])

    assert POWER - 0.03 <= placed(rounds) <= 0.95
    assert placed(round(0.7 * rounds)) < POWER


def test_a_ratio_at_the_margin_or_wild_rounds_take_no_sensible_number():
    assert rounds_to_decide(math.log1p(MARGIN), 0.001) is None
    assert rounds_to_decide(math.log(1.03), 0.5) is None
    assert rounds_to_decide(math.log(1.5), 0.0) == 2
    assert rounds_to_decide(math.log(1.0225), 0.007) in range(50, MOST_ROUNDS + 1)
