"""Findings say what the intervals show, and no more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import Project, make_plan
from the_pages_machine import (
    BERT,
    JAX,
    PROPERTY,
    PUBLISHED,
    TORCH,
    answers,
    on_the_pages_machine,
    verdicts,
)
from time_changes import scale

from analysis.claims import ClaimResult
from analysis.claims.published_table import published_results
from analysis.comparisons.findings import Answer, findings
from analysis.comparisons.gains import change, gains


@PROPERTY
@given(keras2=st.floats(5, 40), tensorflow=st.floats(5, 40), jax=st.floats(5, 40))
def test_a_finding_is_what_the_intervals_show(tmp_path, keras2, tensorflow, jax):
    project = on_the_pages_machine(
        tmp_path,
        rows=BERT[:1],
        keras2_tensorflow=keras2,
        keras3_tensorflow=tensorflow,
        keras3_jax=jax,
        keras3_torch=50.0,
    )
    results = project.load()
    (gain,) = gains(results, "keras3", "keras2")
    interval = gain.interval
    found = answers(results)["keras3_over_keras2"]
    expected = (
        Answer.YES
        if interval.low > 1.02
        else Answer.NO
        if interval.high < 1 / 1.02 or (interval.low >= 1 / 1.02 and interval.high <= 1.02)
        else Answer.UNDECIDED
    )
    assert found.verdict is expected
    assert gain.ratio.value == pytest.approx(keras2 / min(tensorflow, jax), rel=0.002)
    assert change(gain.ratio.value) in found.answer and found.evidence[0][0] == "BERT fit"
    claim = verdicts(results)["keras3_faster_than_keras2"]
    verdict_of = {
        Answer.YES: ClaimResult.REPRODUCED,
        Answer.NO: ClaimResult.NOT_REPRODUCED,
        Answer.UNDECIDED: ClaimResult.UNDECIDED,
    }
    assert claim.verdict is verdict_of[expected]


def test_one_backend_ahead_everywhere_or_each_behind_somewhere_is_a_finding(tmp_path):
    project = on_the_pages_machine(tmp_path)
    found = answers(project.load())["one_best_backend"]
    assert found.verdict is Answer.YES and "Keras 3 (JAX)" in found.answer
    for column, task, factor in ((JAX, "fit", 2.0), (TORCH, "predict", 0.1)):
        project.change(lambda r, f=factor: scale(r, f), column, task)
    results = project.load()
    assert answers(results)["one_best_backend"].verdict is Answer.NO
    assert verdicts(results)["no_backend_fastest_everywhere"].verdict is ClaimResult.REPRODUCED


def test_findings_without_columns_or_intervals_decide_nothing(tmp_path):
    plan = make_plan(runs=3, columns=("pytorch-eager",))
    found = findings(Project(tmp_path, plan).load())
    assert {entry.verdict for entry in found} == {Answer.NOT_MEASURED}
    found = findings(published_results(PUBLISHED, "2024-04"))
    assert {entry.verdict for entry in found} == {Answer.UNDECIDED}
