"""Processes of two modes are named, those that merely scatter are not."""

import numpy as np

from analysis.statistics.modes import modes_of, without_rounds


def test_two_modes_by_hand():
    assert modes_of([0.0, 0.1, 0.001, 0.101, 0.002, 0.1]) == [False, True] * 3
    for apart, shown in ((0.099, False), (0.101, True)):  # 0.01 is the deviation within each
        logs = [mode + log for mode in (0, apart) for log in (-0.01, 0, 0.01)]
        assert (modes_of(logs) is not None) is shown


def test_what_is_no_two_modes():
    assert modes_of([0.0, 0.1, 0.0, 0.1, 0.1]) is None  # five processes
    assert modes_of([0.0, 0.001, 0.002, 0.0, 0.001, 0.3]) is None  # one that stands apart
    assert modes_of([0.0, 0.015, 0.0, 0.015, 0.0, 0.015]) is None  # within the margin
    assert modes_of([0.0, 0.03, 0.06, 0.09, 0.12, 0.15]) is None  # evenly spread


def test_scatter_is_hardly_ever_taken_for_modes_and_modes_mostly_are():
    generator = np.random.default_rng(1)
    scatter = 0.05 * generator.normal(size=(2000, 8))
    assert sum(modes_of(logs) is not None for logs in scatter.tolist()) <= 0.005 * 2000
    apart = 0.005 * generator.normal(size=(2000, 8))
    apart += 0.04 * generator.choice((-1, 1), size=(2000, 8))
    assert sum(modes_of(logs) is not None for logs in apart.tolist()) >= 0.85 * 2000


def test_a_slow_round_is_no_mode_of_a_column():
    """Half of the rounds are slow for all columns: what is left of each is its own scatter."""
    slow = {number: 1.1 if number % 2 else 1.0 for number in range(6)}
    row = {name: {n: ms * slow[n] for n in slow} for name, ms in (("a", 10), ("b", 20), ("c", 30))}
    left = without_rounds(row)
    assert all(np.ptp(logs) < 1e-12 for logs in left.values())
    assert without_rounds({"a": row["a"], "b": row["b"]}) == {}
    row["a"] = {n: 10 * slow[n] * (1.05 if n in (0, 3, 4) else 1.0) for n in slow}
    left = without_rounds(row)
    assert [modes_of(left[name]) is not None for name in "abc"] == [True, False, False]
