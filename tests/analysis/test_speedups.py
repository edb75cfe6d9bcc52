"""Speed-ups of the best of a family, row by row."""

import pytest
from record_changes import slow_down

from analysis.comparisons.findings import findings
from analysis.comparisons.speedups import speedups
from analysis.results.reference import load_reference


def entries(project, family="keras2"):
    return speedups(project.load().rows, family, load_reference())


def test_a_row_without_a_ratio_says_why(project):
    project.fail("oom", "killed", column="keras2-tensorflow", task="fit")
    found = entries(project)
    assert [entry.missing for entry in found] == ["Keras 2 oom", ""]
    assert found[0].gain is None and found[1].gain.value == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (slow_down, "not steady"),
        (lambda record: record["load"].update(foreign_cpu_share=0.3), "disturbed"),
    ],
)
def test_no_other_stands_for_the_fastest_of_a_family(project, change, why):
    project.change(change, column="keras3-torch")  # the slowest
    assert {entry.gain.new.column.name for entry in entries(project)} == {"keras3-jax"}
    project.change(change, column="keras3-jax", task="fit")
    fit, predict = entries(project)
    assert (fit.gain, fit.missing) == (None, f"Keras 3 {why}")
    assert predict.gain.new.column.name == "keras3-jax"
    found = {each.id: each for each in findings(project.load())}
    assert list(found["keras3_over_pytorch"].numbers["gain"]) == ["bert/predict/16"]
    assert [label for label, _ in found["one_best_backend"].evidence] == ["BERT predict"]
    project.change(change)
    assert [(entry.gain, entry.missing) for entry in entries(project)] == 2 * [
        (None, f"Keras 3 {why}; Keras 2 {why}")
    ]
