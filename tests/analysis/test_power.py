"""The rounds that a row is told to need, the rate of false verdicts and that of true ones are those
of simulated rows.
"""

import math

import numpy as np
import pytest

from analysis.statistics.best_set import Contest, Standing
from analysis.statistics.forecast import false_slower, field_of, rounds_to_place, true_slower
from analysis.statistics.intervals import Verdict, as_measured, paired_ratio
from analysis.statistics.moderation import Prior


def contest(logs, moderate=as_measured):
    """Of logarithms of run means, columns x rounds."""
    row = {str(i): dict(enumerate(np.exp(cell).tolist())) for i, cell in enumerate(logs)}
    return Contest(row, lambda name, base: moderate)


def placed_after(logs, moderate):
    """The first number of rounds after which no column is undecided."""
    for rounds in (4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 33, 39, 46, 54, 64, 76, 90, 100):
        if Standing.UNDECIDED not in contest(logs[:, :rounds], moderate).standings().values():
            return rounds
    return math.inf


def test_the_rounds_that_equal_columns_are_told_are_those_they_take():
    """Within a factor of 1.5 at the median, and 'never' to a few alone, at a scatter of 1 %."""
    generator = np.random.default_rng(2)
    told, took = [], []
    weigh = Prior(2e-4).moderated
    while len(told) < 24:
        logs = 0.01 * generator.normal(size=(4, 100))
        held = contest(logs[:, :3], weigh)
        if Standing.UNDECIDED in held.standings().values():
            more = rounds_to_place(held, sorted(held.row))
            told.append(math.inf if more is None else 3 + more)
            took.append(placed_after(logs, weigh))
    assert 1 / 1.5 <= np.median(told) / np.median(took) <= 1.5
    assert np.mean(np.isinf(told)) <= 0.25


def test_no_more_rounds_are_told_than_a_configuration_may_ask_for():
    rows = (0.03 * np.random.default_rng(seed).normal(size=(4, 3)) for seed in range(60))
    told = [rounds_to_place(contest(logs), ("0", "1", "2", "3")) for logs in rows]
    assert max(filter(None, told)) == 97  # beside the three: 100 in all


@pytest.mark.parametrize(("ratio", "deviation"), [(1.05, 0.02), (0.93, 0.04), (1.0, 0.02)])
def test_a_pair_is_decided_after_about_as_many_rounds_as_are_told(ratio, deviation):
    generator = np.random.default_rng(1)
    told, took = [], []
    for _ in range(30):
        logs = deviation / math.sqrt(2) * generator.normal(size=(2, 100))
        logs[0] += math.log(ratio)

        def verdict(rounds, logs=logs):
            row = contest(logs[:, :rounds]).row
            return paired_ratio(row["0"], row["1"]).verdict

        if verdict(3) is Verdict.AMBIGUOUS:
            more = rounds_to_place(contest(logs[:, :3]), ("0", "1"))
            told.append(math.inf if more is None else 3 + more)
            after = (n for n in range(4, 101) if verdict(n) is not Verdict.AMBIGUOUS)
            took.append(next(after, math.inf))
    assert 1 / 2 <= np.median(told) / np.median(took) <= 2


def test_wild_rounds_take_no_sensible_number_and_quiet_ones_few():
    wild = contest(np.array([[0.0, 0.0, 0.0], [0.0, 0.3, -0.2]]))
    assert rounds_to_place(wild, ("0", "1")) is None
    quiet = contest(np.array([[0.0, 0.001, 0.0], [0.03, 0.045, 0.032]]))
    assert rounds_to_place(quiet, ("0", "1")) <= 5


def test_the_rounds_told_are_no_luck_of_the_draw_and_no_more_precise_than_they_are(monkeypatch):
    made, told = np.random.default_rng, []
    logs = made(18).normal(0, (0.03, 0.02, 0.02), (3, 3)).T
    for seed in range(1, 7):
        monkeypatch.setattr(np.random, "default_rng", lambda _, seed=seed: made(seed))
        told.append(rounds_to_place(contest(logs, Prior(2e-4).moderated), ("0", "1", "2")))
    assert max(told) - min(told) <= 10 < min(told)
    assert {more % 10 for more in told} == {0}


@pytest.mark.parametrize("seed", [12, 17, 40])
def test_the_rounds_told_have_an_even_chance_at_least(seed):
    """Between 11 and 14 are the first that have one; ten have 35, 38 and 35 %."""
    logs = np.random.default_rng(seed).normal(0, (0.03, 0.02, 0.02), (3, 3)).T
    assert rounds_to_place(contest(logs, Prior(2e-4).moderated), ("0", "1", "2")) == 20


@pytest.mark.parametrize(("scatter", "low", "high"), [(0.002, 0.0, 0.001), (0.10, 0.01, 0.12)])
def test_the_rate_of_false_verdicts_is_that_of_simulated_rows(scatter, low, high):
    """Six equal columns in three rounds, by their own scatter alone."""
    generator = np.random.default_rng(3)
    rows = [contest(scatter * generator.normal(size=(6, 3))) for _ in range(400)]
    counted = np.mean([Standing.SLOWER in row.standings().values() for row in rows])
    told = np.mean([false_slower(field_of(row), 200) for row in rows[:40]])
    assert low <= counted <= high and low <= told <= high
    assert told == pytest.approx(counted, abs=0.03)


@pytest.mark.parametrize(("gap", "scatter", "weigh"), [(0.05, 0.02, False), (0.05, 0.02, True)])
def test_what_is_shown_of_a_true_gap_is_that_of_simulated_rows(gap, scatter, weigh):
    """Of six columns in three rounds the third is slower."""
    moderate = Prior(2 * scatter**2).moderated if weigh else as_measured
    generator = np.random.default_rng(4)
    logs = scatter * generator.normal(size=(600, 6, 3))
    told = np.mean([true_slower(field_of(contest(row, moderate)), 300, gap) for row in logs[:60]])
    logs[:, 2] += math.log1p(gap)
    found = [contest(row, moderate).standings()["2"] is Standing.SLOWER for row in logs]
    assert told == pytest.approx(np.mean(found), abs=0.05)


def test_more_rounds_and_larger_gaps_show_more():
    generator = np.random.default_rng(5)
    logs = 0.02 * generator.normal(size=(4, 8))
    few, many = field_of(contest(logs[:, :4])), field_of(contest(logs))
    assert true_slower(few, 500, 0.05) < true_slower(few, 500, 0.10) < true_slower(many, 500, 0.10)
    assert true_slower(many, 500, 0.0) <= 0.03
