import numpy as np
import pandas as pd
import pytest

from millistep.analysis import steady

NOISE = np.random.default_rng(5).normal(0, 0.004, 40)


def state(*levels):
    """Return the state of a run whose windows have these levels, of equal length."""
    size = len(NOISE) // len(levels)
    return steady.run(np.repeat(np.log(levels), size) + NOISE[: size * len(levels)])


def test_states():
    assert state(10.0)[::2] == (steady.FLAT, 0)
    assert state(15.0, 10.0, 10.0, 10.0)[::2] == (steady.WARM_UP, 10)
    assert state(8.0, 10.0, 10.0, 10.0)[::2] == (steady.SLOWDOWN, 0)
    assert state(*[10.0] * 7, 13.0, 13.0, 13.0)[0] == steady.SLOWDOWN  # its final level is 30 %
    assert state(*[10.0] * 9, 5.0)[0] == steady.NONE
    assert state(10.08, 10.0)[0] == steady.FLAT  # within 1 %


def test_few_windows_are_not_tested():
    logs = np.log([20.0] * 3 + [10.0] * 4)
    name, course, skipped = steady.run(logs)
    assert (name, skipped) == (steady.NOT_TESTED, 0) and np.isnan(course)
    assert steady.run(np.log([20.0] * 3 + [10.0] * 5))[0] == steady.WARM_UP


def test_a_spike_is_another_process():
    logs = np.log(10.0) + NOISE
    logs[20] += 1
    assert steady.run(logs)[0] == steady.FLAT
    assert steady.without_spikes(np.array([9.0, 1, 1, 9, 1, 1])).tolist() == [9, 1, 1, 1, 1, 1]


def test_a_line_never_settled_and_wandering_is_no_level():
    assert steady.run(np.linspace(0.5, 0, 40) + NOISE)[0] == steady.NONE
    assert steady.run(np.linspace(0, 0.5, 40) + NOISE)[0] == steady.SLOWDOWN
    wander = np.zeros(40)
    for place in range(1, 40):
        wander[place] = 0.8 * wander[place - 1] + NOISE[place]
    assert steady.run(wander)[0] == steady.FLAT


def test_noise_is_that_of_neighbors():
    assert steady.noise(np.zeros(20)) == steady.QUIET == 0.0025
    values = np.random.default_rng(1).normal(0, 0.1, 5000)
    assert steady.noise(values) == pytest.approx(0.1, rel=0.05)


def cell(*runs):
    frame = pd.DataFrame(runs, columns=["state", "course"]).assign(cell="a")
    return tuple(steady.cells(frame, ["cell"]).loc["a", ["state", "steady"]])


def test_a_cell_is_that_of_most_of_its_runs():
    flat, warm, none = (steady.FLAT, 0.0), (steady.WARM_UP, 0.0), (steady.NONE, 0.0)
    assert cell(flat, flat, flat) == (steady.FLAT, True)
    assert cell(flat, warm, warm) == (steady.WARM_UP, True)
    assert cell(flat, flat, warm) == (steady.INCONSISTENT, True)
    assert cell(flat, flat, none) == (steady.INCONSISTENT, True)
    assert cell(flat, none, none) == (steady.NONE, False)
    assert cell(none, none, (steady.SLOWDOWN, 0.0)) == (steady.NONE, False)
    assert cell(flat, none) == cell(flat, warm) == (steady.INCONSISTENT, True)
    assert cell((steady.NOT_TESTED, np.nan), flat) == (steady.NOT_TESTED, True)


def test_what_changes_slowly_in_every_run_is_found_over_three():
    slower_first = [(steady.FLAT, 0.03), (steady.FLAT, 0.031), (steady.FLAT, 0.032)]
    assert cell(*slower_first) == (steady.WARM_UP, False)
    assert cell(*slower_first[:2]) == (steady.FLAT, True)
    assert cell(*[(name, -course) for name, course in slower_first]) == (steady.SLOWDOWN, False)
    assert cell(*[(steady.FLAT, 0.008)] * 3)[1]


def test_change_points_are_the_starts_of_levels():
    values = np.repeat([0.0, 0.3, 0.1], [10, 15, 15])
    assert steady.change_points(values, 0.01) == [0, 10, 25]
    assert steady.change_points(values / 1000, 0.01) == [0]
    # each change point costs 15 ln 40 = 55 variances; this one gains 40 / 4 * height²
    for height, found in ((2.2, [0]), (2.5, [0, 20])):
        assert steady.change_points(np.repeat([0.0, height], 20), 1.0) == found


def test_the_course_is_the_first_half_over_the_second_beyond_its_noise():
    values = np.repeat([0.1, 0.0], [10, 11])
    expected = 0.1 - 2 * 0.01 * np.sqrt(1 / 10 + 1 / 11)
    assert steady._course(values, 0.01) == pytest.approx(expected)
    assert steady._course(-values, 0.01) == pytest.approx(-expected)
    assert steady._course(values, 0.2) == 0.0


@pytest.mark.parametrize("columns", [1, 2])
def test_the_misfit_is_the_likelihood_of_ar1_noise(columns):
    """Against dense covariance matrices, over the same memories."""
    generator = np.random.default_rng(2)
    values = np.cumsum(generator.normal(0, 1, 12))
    explained = np.column_stack([np.ones(12), np.arange(12)])[:, :columns]
    found = []
    for memory in np.arange(46) / 50:
        places = np.arange(12)
        covariance = memory ** np.abs(places[:, None] - places) / (1 - memory**2)
        inverse = np.linalg.inv(covariance)
        weights = np.linalg.solve(explained.T @ inverse @ explained, explained.T @ inverse @ values)
        left = values - explained @ weights
        variance = left @ inverse @ left / 12 + 0.0025**2
        found.append(12 * np.log(variance) + np.linalg.slogdet(covariance)[1])
    assert steady._misfit(values, explained) == pytest.approx(min(found))


def test_a_change_of_one_percent_is_the_bar():
    def most(low):
        """Runs whose interval starts at `low` and is 0.002 wide on either side."""
        middle, half = low + 0.002, 0.002 / 4.3027 * np.sqrt(3)
        return [(steady.FLAT, middle - half), (steady.FLAT, middle), (steady.FLAT, middle + half)]

    assert cell(*most(0.0097))[1] and not cell(*most(0.0102))[1]


def test_levels_that_return_to_the_final_one_are_settled_from_there():
    """Windows at the final level that come before another level are no part of the tail."""
    assert state(10.0, 14.0, 10.0, 10.0)[::2] == (steady.WARM_UP, 20)
    assert state(10.0, 8.0, 10.0, 10.0)[0] == steady.SLOWDOWN
    assert state(15.0, 10.0, 10.05, 10.0)[::2] == (steady.WARM_UP, 10)


@pytest.mark.parametrize(("share", "name"), [(5.9, steady.FLAT), (6.1, steady.WARM_UP)])
def test_levels_have_to_explain_six_times_ln_n_beyond_wandering(share, name):
    def explained(height):
        values = np.repeat([height, 0.0], [10, 30]) + NOISE
        levels = np.repeat(np.eye(2), [10, 30], axis=0)
        one = np.ones((40, 1))
        return steady._misfit(values, one) - steady._misfit(values, levels), values

    low, high = 0.0, 0.2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if explained(middle)[0] < share * np.log(40) else (low, middle)
    assert steady._shape(explained(high)[1], [0, 10])[0] == name


def test_levels_within_one_percent_are_one():
    assert steady._judge(np.repeat([0.0, 0.009], 10), [0, 10]) == (steady.FLAT, 0)
