"""Claims and findings say what the intervals show, and no more."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_changes import takes
from results_factory import Project, make_plan
from tests.shared import valid
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

from analysis.claims import ClaimResult, judge, load_claims
from analysis.claims.claim_tests import TESTS
from analysis.claims.published_table import published_results
from analysis.claims.verdicts import write_claims
from analysis.comparisons.findings import Answer, findings
from analysis.comparisons.gains import change, gains
from analysis.formats.errors import InputError
from analysis.results.reference import REFERENCE
from analysis.statistics.intervals import Ratio, Verdict


def test_every_claim_is_judged_in_its_order_says_why_and_is_in_the_file(project, tmp_path):
    results = project.load()
    found = judge(results, PUBLISHED)
    assert [entry.id for entry in found] == [claim.id for claim in load_claims()]
    assert all(entry.why.endswith(".") and entry.by and entry.reading for entry in found)
    assert len({entry.id for entry in found}) == len(found) == 16
    write_claims(results, PUBLISHED, tmp_path)
    file = valid(json.loads((tmp_path / "claims.json").read_text()), "claims")
    assert [(c["id"], c["verdict"]) for c in file["claims"]] == [(c.id, c.verdict) for c in found]


def test_on_the_pages_machine_a_claim_is_reproduced_or_not(tmp_path):
    found = verdicts(on_the_pages_machine(tmp_path).load())
    assert found["keras3_faster_than_keras2"].verdict is ClaimResult.REPRODUCED
    assert found["upgrade_alone"].verdict is ClaimResult.REPRODUCED
    assert found["bert_fit_100"].verdict is ClaimResult.REPRODUCED
    assert "+150\u00a0%" in found["bert_fit_100"].why  # 20 over 8 ms
    assert found["no_backend_fastest_everywhere"].verdict is ClaimResult.NOT_REPRODUCED
    assert found["jax_first_in_seven"].verdict is ClaimResult.NOT_TESTED
    # Keras 2 has a time in six of the rows of the page
    asked = "Asked of 2 of the 6 rows that it is about. "
    assert found["keras3_faster_than_keras2"].why.startswith(asked)
    assert not found["bert_fit_100"].why.startswith("Asked of")
    times = {"keras2_tensorflow": 15.0, "keras3_tensorflow": 16.0}
    slower = verdicts(on_the_pages_machine(tmp_path, **times).load())
    assert slower["upgrade_alone"].verdict is ClaimResult.NOT_REPRODUCED
    assert slower["bert_fit_100"].verdict is ClaimResult.NOT_REPRODUCED  # +88 %: 15 over 8 ms


@given(
    low=st.floats(0.1, 10), ratio=st.floats(1, 3), runs=st.integers(2, 6), rows=st.integers(1, 12)
)
def test_more_rows_never_narrow(low, ratio, runs, rows):
    found = Ratio(math.log(low), math.log(ratio), runs - 1, runs)
    own, wide, wider = found.interval, found.together(rows), found.together(rows + 1)
    assert wider.low <= wide.low * (1 + 1e-9) and wide.low <= own.low * (1 + 1e-9)
    assert wider.high >= wide.high * (1 - 1e-9) and wide.high >= own.high * (1 - 1e-9)


@pytest.mark.parametrize(
    ("scatter", "answer", "holds"), [(0.008, Answer.UNDECIDED, None), (0.002, Answer.NO, False)]
)
def test_one_row_of_twelve_shows_nothing_that_chance_would(tmp_path, scatter, answer, holds):
    """Eleven rows gain 2 % as far as one can tell, one nothing, which for itself is shown."""
    rows = tuple(("bert", "predict", 2**power, 256) for power in range(12))
    project = on_the_pages_machine(tmp_path, runs=5, rows=rows)

    def change(r):
        gain = 1.0 if r["cell"]["batch_size"] == 1 else 1.02
        slower = gain * math.exp(scatter * (r["cell"]["run"] - 3))
        step_ms = 10 * slower if r["cell"]["column"] == "keras2-tensorflow" else 10
        takes(r, step_ms)

    project.change(change)
    results = project.load()
    alone = gains(results, "keras3-tensorflow", "keras2-tensorflow")[0]
    assert alone.verdict is Verdict.SAME
    assert answers(results)["upgrade_alone"].verdict is answer
    columns = {"new": "keras3-tensorflow", "base": "keras2-tensorflow"}
    assert TESTS["faster_in_every_row"](results, **columns).holds is holds


def test_one_run_shows_nothing(tmp_path):
    results = on_the_pages_machine(tmp_path, runs=1).load()
    kinds = {entry.verdict for entry in judge(results, PUBLISHED)}
    assert kinds == {ClaimResult.NOT_TESTED, ClaimResult.UNDECIDED}
    assert {entry.verdict for entry in findings(results)} == {Answer.UNDECIDED}


def test_the_published_table_bears_out_its_own_claims(project):
    found = verdicts(project.load())
    published = {name: entry.published.replace("\u00a0", " ") for name, entry in found.items()}
    assert "(TensorFlow) in 5 and Keras 3 (JAX) in 7" in published["no_backend_fastest_everywhere"]
    shown = "revision current: Fastest by the means in 7 of 12 rows."
    assert published["jax_first_in_seven"] == shown
    assert "in 6 of 6 rows" in published["keras3_faster_than_keras2"]
    assert published["sam_predict_380"].startswith("revision 2024-03: ")
    assert "+383 %" in published["sam_predict_380"]
    assert "+162 %" in published["stable_diffusion_fit_150"]
    assert "+127 %" in published["bert_fit_100"]
    assert "+0.88 % in BERT predict" in published["upgrade_alone"]
    assert "By the means 5 of 10 rows" in published["keras3_over_pytorch"]
    assert "+289 % in SegmentAnything predict" in published["keras3_over_pytorch"]
    assert re.search(r"7\.05×.*16\.27×", published["padding_slows_torch"])


def test_a_claim_that_names_no_test_is_refused(tmp_path):
    text = (REFERENCE / "claims.yaml").read_text().replace("kind: no_best_backend", "kind: guess")
    (tmp_path / "claims.yaml").write_text(text)
    with pytest.raises(InputError, match="no test 'guess'"):
        load_claims(tmp_path)
    (tmp_path / "claims.yaml").write_text("claims: [{id: x}]")
    with pytest.raises(InputError, match=r"claims\.yaml"):
        load_claims(tmp_path)


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
