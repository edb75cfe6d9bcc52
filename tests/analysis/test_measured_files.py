"""Canaries, machine card and self-test: read, checked, joined with the records."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import make_canary, make_plan

from analysis.formats.errors import InputError
from analysis.results.canaries import Canary, Round, peak_flops_per_s, rounds
from analysis.results.loading import load_results
from analysis.results.self_test import KnownStep, MonitorCost, SameCell

CANARY, CARD, SELF_TEST = (
    "results/canaries/laptop/cpu/1.json",
    "results/machine.json",
    "self_test.json",
)


def test_every_file_of_the_plan_is_read(project):
    results = project.load()
    assert [canary.index for canary in results.canaries["cpu"]] == [0, 1, 2, 3]
    assert results.canaries["cpu"][0].matmul[1].dtype == "bfloat16"
    (section,) = results.machine_card.sections
    assert [(fact.name, fact.value) for fact in section.facts] == [
        ("Model", "Example CPU"),
        ("Turbo", None),
    ]
    assert results.self_test.worst_error.error == pytest.approx(0.0005)
    assert results.self_test.same_cell.ratio.rounds == 3
    assert results.self_test.monitor.ratio.value == pytest.approx(1)


def test_a_missing_file_is_none(project):
    project.canaries[1] = project.machine_card = project.self_test = None
    results = project.load()
    assert [canary is None for canary in results.canaries["cpu"]] == [False, True, False, False]
    assert results.machine_card is None and results.self_test is None


@pytest.mark.parametrize("path", [CANARY, CARD, f"results/{SELF_TEST}"])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not valid JSON"),
        ("[]", "/: [] is not of type 'object'"),
        ('{"schema": "millistep.record/3"}', "/"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(project, path, text, problem):
    project.save()
    (project.folder / path).write_text(text)
    with pytest.raises(InputError) as caught:
        load_results(project.plan_path)
    (line,) = caught.value.lines
    assert line.startswith(f"{path}: ") and problem in line


def test_a_long_reason_is_cut(project):
    project.canaries[1].update(status="error", reason="x" * 5000)
    project.self_test.update(status="error", reason="x" * 5000)
    results = project.load()
    assert len(results.canaries["cpu"][1].reason) == len(results.self_test.reason) < 310


def test_a_canary_in_another_ones_place_is_refused(project):
    project.canaries[1]["index"] = 2
    project.save()
    with pytest.raises(InputError, match=r"canaries/laptop/cpu/1.json: /index: 2 instead of 1"):
        load_results(project.plan_path)


@pytest.mark.parametrize("change", ["canaries", "machine_card", "self_test"])
@pytest.mark.parametrize("outside", ["../secret.json", "/etc/passwd", "results\0"])
def test_a_path_out_of_the_results_is_refused(project, change, outside):
    project.save()
    project.plan[change] = {"cpu": [outside]} if change == "canaries" else outside
    project.plan_path.write_text(json.dumps(project.plan))
    with pytest.raises(InputError, match="outside of the results folder"):
        load_results(project.plan_path)


def test_the_digest_covers_every_file(project):
    digests = {project.load().digest}
    project.canaries[2]["python_loop_ms"] += 1
    digests.add(project.load().digest)
    project.machine_card["sections"][0]["facts"][0]["value"] = "Another CPU"
    digests.add(project.load().digest)
    project.self_test["reason"] = "x"
    digests.add(project.load().digest)
    assert len(digests) == 4


def canary(index, **changes):
    data = make_canary(make_plan(), index) | changes
    return Canary.from_json(data)


@given(st.floats(0.5, 2), st.floats(0.5, 2), st.floats(0.5, 2))
def test_drift_is_the_ratio_of_times(loop, copy, product):
    matmul = [{"dtype": "float32", "size": 64, "flops_per_s": 1e9, "step_ms": 3 * product}]
    before = canary(0, matmul=[{**matmul[0], "step_ms": 3.0}])
    after = canary(1, matmul=matmul, python_loop_ms=50 * loop, memory_copy_gib_per_s=8 / copy)
    drift = {"float32 matmul": product, "memory copy": copy, "Python loop": loop}
    found = Round(1, before, after)
    assert found.drift == pytest.approx(drift)
    beyond = {name for name, ratio in drift.items() if not 1 / 1.02 <= ratio <= 1.02}
    close = {
        name
        for name, ratio in drift.items()
        if min(abs(ratio - 1.02), abs(ratio - 1 / 1.02)) < 1e-9
    }
    assert set(found.drifted) - close == beyond - close


def test_a_round_without_both_canaries_shows_no_drift():
    good, bad = canary(0), canary(1, status="timeout", reason="30 s", matmul=[])
    assert [entry.number for entry in rounds((good, None, bad))] == [1, 2]
    assert Round(1, good, None).drift == Round(1, good, bad).drift == {}


def test_work_that_one_canary_lacks_is_left_out():
    assert "Python loop" not in Round(1, canary(0), canary(1, python_loop_ms=None)).drift


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


@given(st.floats(0.001, 1000), st.floats(0.5, 2))
def test_the_error_of_a_known_step(nominal, factor):
    assert KnownStep(nominal, nominal * factor, 100).error == pytest.approx(factor - 1)


def test_pairs_of_the_self_test_by_hand():
    same = SameCell("bert", "fit", 8, "keras3-jax", {1: 10.0, 2: 11.0, 3: 9.0}, {2: 10.0, 3: 10.0})
    assert same.ratio.rounds == 2
    assert same.ratio.value == pytest.approx((1.1 * 0.9) ** 0.5)
    assert SameCell("bert", "fit", 8, "keras3-jax", {}, {1: 1.0}).ratio is None
    assert MonitorCost((2.0, 2.0), (1.0, 2.0, 5.0), "sum").ratio.value == pytest.approx(2**0.5)
