"""Speed-ups of the best of a family, row by row."""

import pytest

from analysis.comparisons.speedups import speedups
from analysis.results.reference import load_reference


def entries(project, family="keras2"):
    return speedups(project.load().rows, family, load_reference())


def test_a_row_without_a_ratio_says_why(project):
    project.fail("oom", "killed", column="keras2-tensorflow", task="fit")
    found = entries(project)
    assert [entry.missing for entry in found] == ["Keras 2 oom", ""]
    assert found[0].gain is None and found[1].gain.value == pytest.approx(2.5)


def test_the_best_of_a_family_is_steady(project):
    def slow_down(record):
        for block in record["timing"]["blocks"][5:]:
            block["elapsed_ns"] = block["elapsed_ns"] * 11 // 10

    project.change(slow_down, column="keras3-jax")
    assert {entry.gain.new.column.name for entry in entries(project)} == {"keras3-tensorflow"}
    project.change(slow_down)
    assert [(entry.gain, entry.missing) for entry in entries(project)] == 2 * [
        (None, "Keras 3 not steady; Keras 2 not steady")
    ]
