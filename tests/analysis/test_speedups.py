"""The mean speed-up over the rows, and what it says of the rows that it lacks."""

import pytest

from analysis.comparisons.speedups import mean_speedup, speedups
from analysis.results.reference import load_reference


def entries(project, family="keras2"):
    return speedups(project.load().rows, family, load_reference())


def test_mean_over_the_rows_by_hand(project):
    # JAX 8 ms in both rows; Keras 2 20 ms in fit, 10 ms in predict: sqrt(2.5 * 1.25)
    def halve(record):
        for block in record["timing"]["blocks"]:
            block["elapsed_ns"] //= 2

    project.change(halve, column="keras2-tensorflow", task="predict")
    mean = mean_speedup(entries(project))
    assert mean.value == pytest.approx((2.5 * 1.25) ** 0.5)
    assert mean.interval.low == pytest.approx(mean.value)  # the factory's rounds drift as one
    assert (mean.rows, mean.missing) == (("BERT fit", "BERT predict"), ())


def test_a_row_without_a_ratio_is_named(project):
    project.fail("oom", "killed", column="keras2-tensorflow", task="fit")
    found = entries(project)
    mean = mean_speedup(found)
    assert mean.value == pytest.approx(2.5)
    assert (mean.rows, mean.missing) == (("BERT predict",), ("BERT fit",))
    assert [entry.missing for entry in found] == ["Keras 2 oom", ""]


def test_no_row_has_a_ratio(project):
    project.fail("oom", "killed", column="keras2-tensorflow")
    assert mean_speedup(entries(project)) is None


def test_the_best_of_a_family_is_steady(project):
    def slow_down(record):
        for block in record["timing"]["blocks"][5:]:
            block["elapsed_ns"] = block["elapsed_ns"] * 11 // 10

    project.change(slow_down, column="keras3-jax", run=1)
    assert {entry.best.column.name for entry in entries(project)} == {"keras3-tensorflow"}
    project.change(slow_down, run=1)
    assert [(entry.best, entry.missing) for entry in entries(project)] == 2 * [
        (None, "Keras 3 not steady; Keras 2 not steady")
    ]
