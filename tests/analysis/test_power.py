"""The gaps of the methods text are those that simulated runs decide."""

import math

import numpy as np
import pytest
from scipy.stats import nct, t

from analysis.statistics.best_set import p_slower
from analysis.statistics.intervals import MARGIN, as_measured
from analysis.statistics.power import POWER, decided_gap, moderation_of


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
