"""Sessions with canaries, machine cards and self-test: read, checked, joined with the records."""

import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import make_canary, make_plan

from analysis.data import Data
from analysis.formats.errors import InputError
from analysis.results.canaries import Around, Canary, peak_flops_per_s
from analysis.results.loading import load_results
from analysis.results.self_test import KnownStep, MonitorCost, SameCell
from analysis.results.sessions import canaries_of
from analysis.results.structure import build
from analysis.writing.files import to_csv

ONE, BLOCK, CARD, SELF_TEST = (
    "results/records/laptop/bert/fit-b8/keras3-jax/run1.json",
    "results/blocks/laptop/bert/fit-b8/round2.json",
    "results/machines/0a1b2c3d.json",
    "results/self_test.json",
)


def test_every_file_of_the_plan_is_read(project):
    results = project.load()
    assert [(session.row[1], session.round) for session in results.sessions] == [
        (task, number) for number in (1, 2, 3) for task in ("fit", "predict")
    ]
    # those of a round share theirs, and what is after one round is before the next
    assert len(canaries_of(results.sessions, "cpu")) == 4
    assert results.sessions[0].canaries["cpu"].before.matmul[1].dtype == "bfloat16"
    assert {run.sitting.session for cell in results.rows[1].cells for run in cell.runs} == {
        session.id for session in results.sessions if session.row[1] == "predict"
    }
    (section,) = results.machine_cards["0a1b2c3d"].sections
    assert [(fact.name, fact.value) for fact in section.facts] == [
        ("Model", "Example CPU"),
        ("Turbo", None),
    ]
    assert max(step.error for step in results.self_test.known_steps) == pytest.approx(0.0005)
    assert results.self_test.same_cell.ratio.rounds == 3
    assert results.self_test.monitor.ratio.value == pytest.approx(1)


def test_later_rules_need_no_record(project, tmp_path):
    """What was kept is all that they read, whatever becomes of the files meanwhile."""
    project.fail("oom", column="keras3-torch", task="fit", run=1)
    plan, kept = project.save(), tmp_path / "measured.parquet"
    before = load_results(plan, keep=kept)
    for folder in ("records", "blocks"):
        shutil.rmtree(project.folder / "results" / folder)
    (project.folder / CARD).write_text("{")
    after = load_results(plan, measured=kept)
    assert after.digest == before.digest and after.sessions == before.sessions
    assert after.machine_cards == before.machine_cards
    assert to_csv(Data(after).recorded) == to_csv(Data(before).recorded)


def test_what_is_broken_is_not_kept(project, tmp_path):
    plan, kept = project.save(), tmp_path / "measured.parquet"
    (project.folder / BLOCK).write_text("{")
    with pytest.raises(InputError, match=f"{BLOCK}: not valid JSON"):
        load_results(plan, keep=kept)
    assert not [*tmp_path.glob("measured*")]
    kept.write_text("{")
    with pytest.raises(InputError, match=r"measured.parquet: not the Parquet that"):
        load_results(plan, measured=kept)


def test_a_missing_file_is_none(project):
    project.canaries[1] = project.machine_card = project.self_test = None
    results = project.load()
    of_fit = [session.canaries["cpu"] for session in results.sessions[::2]]
    assert [(c.before is None, c.after is None) for c in of_fit] == [
        (False, True),
        (True, False),
        (False, False),
    ]
    assert results.machine_cards == {"0a1b2c3d": None} and results.self_test is None


def test_a_long_reason_is_cut(project):
    project.fail("error", "x" * 10_000)
    project.canaries[1].update(status="error", reason="x" * 5000)
    project.self_test.update(status="error", reason="x" * 5000)
    results = project.load()
    after = results.sessions[0].canaries["cpu"].after
    assert len(after.reason) == len(results.self_test.reason) < 310
    assert next(results.cells).reason == f"RuntimeError: {'x' * 286}..."


SECRET = "../../../secret"
PLACES = ("results/blocks/laptop/bert/fit-b8/round1.json", SELF_TEST, ONE)
OUTSIDE = [
    ("results/plan.json", f'"{place}"', f'"{outside}"', "outside of the results folder")
    for place in PLACES
    for outside in ("../secret.json", "/etc/passwd", "results/../x.json", r"results\u0000")
]


@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        (BLOCK, '"round": 2', '"round": 3', r"round2.json: /row: is not the block .* round 2\)"),
        (BLOCK, "0a1b2c3d", SECRET, rf"round2.json: /sessions/0/node: '{SECRET}'"),
        ("results/plan.json", "plan/4", "plan/3", r"older.*\(millistep.plan/3\).*measure again"),
        *OUTSIDE,
    ],
)
def test_what_is_of_another_place_or_day_is_refused(project, path, old, new, words):
    assert re.search(words, project.refused(path, new, old))


def test_the_digest_names_the_bytes_of_every_file(project):
    digests = {project.load().digest, project.load().digest}
    project.change(lambda r: r.update(total_s=41.0), column="keras3-jax", task="fit", run=1)
    digests.add(project.load().digest)
    project.canaries[2]["python_loop_ms"] += 1
    digests.add(project.load().digest)
    project.machine_card["sections"][0]["facts"][0]["value"] = "Another CPU"
    digests.add(project.load().digest)
    project.self_test["reason"] = "x"
    digests.add(project.load().digest)
    assert len(digests) == 5


def canary(index, **changes):
    data = make_canary(make_plan(), index) | changes
    return build(Canary, data)


@given(st.floats(0.5, 2), st.floats(0.5, 2), st.floats(0.5, 2))
def test_drift_is_the_ratio_of_times(loop, copy, product):
    matmul = [{"dtype": "float32", "size": 64, "flops_per_s": 1e9, "step_ms": 3 * product}]
    before = canary(0, matmul=[{**matmul[0], "step_ms": 3.0}])
    after = canary(1, matmul=matmul, python_loop_ms=50 * loop, memory_copy_gib_per_s=8 / copy)
    drift = {"float32 matmul": product, "memory copy": copy, "Python loop": loop}
    found = Around(before, after)
    assert found.drift == pytest.approx(drift)
    beyond = {name for name, ratio in drift.items() if not 1 / 1.02 <= ratio <= 1.02}
    close = {
        name
        for name, ratio in drift.items()
        if min(abs(ratio - 1.02), abs(ratio - 1 / 1.02)) < 1e-9
    }
    assert set(found.drifted) - close == beyond - close


def test_work_that_one_canary_lacks_is_left_out():
    assert "Python loop" not in Around(canary(0), canary(1, python_loop_ms=None)).drift


def test_the_peak_is_the_best_product_of_all_canaries():
    second = canary(1)
    slower = [{"dtype": "float32", "size": 64, "flops_per_s": 9e10, "step_ms": 1.0}]
    faster = [{"dtype": "float32", "size": 64, "flops_per_s": 3e11, "step_ms": 1.0}]
    failed = canary(3, status="error", reason="x", matmul=[{**faster[0], "flops_per_s": 9e15}])
    found = peak_flops_per_s(
        (canary(0, matmul=slower), second, None, canary(2, matmul=faster), failed)
    )
    assert found == {"float32": 3e11, "bfloat16": 2e11}
    assert peak_flops_per_s((None,)) == {}


def test_known_steps_and_pairs_of_the_self_test_by_hand():
    step = KnownStep(2, 2.0015, 500, (2.001, 2.002, 2.077, 2.001, 2.006))  # the file's: the median
    assert step.error == pytest.approx(0.0086, abs=1e-4)
    same = SameCell("bert", "fit", 8, "keras3-jax", {1: 10.0, 2: 11.0, 3: 9.0}, {2: 10.0, 3: 10.0})
    assert same.ratio.rounds == 2
    assert same.ratio.value == pytest.approx((1.1 * 0.9) ** 0.5)
    assert SameCell("bert", "fit", 8, "keras3-jax", {}, {1: 1.0}).ratio is None
    assert MonitorCost((2.0, 2.0), (1.0, 2.0, 5.0), "sum").ratio.value == pytest.approx(2**0.5)
