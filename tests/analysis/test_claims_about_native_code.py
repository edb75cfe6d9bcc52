"""The claims that native code is needed nowhere, but for what frameworks lack."""

import pytest
from native_projects import JAX, native_project, of, timed
from the_pages_machine import verdicts

from analysis.claims import ClaimResult

NATIVE = f"{JAX}+native"
HAVE, LACK = "no_native_code_for_what_frameworks_have", "native_code_for_what_frameworks_lack"


def judged(folder, operation, native_ms, runs=3, task="fit", scale="paper"):
    """10 ms by the framework's way, this with native code, at the sizes of a paper."""
    rows = (("a_net", task, 16, None),)
    columns = [of(JAX), of(JAX, "native")]
    project = native_project(folder, *columns, rows=rows, runs=runs, scale=scale)
    timed(project, JAX, 10.0, 5.0, name=operation)
    timed(project, NATIVE, native_ms, 0.5, name=operation)
    return verdicts(project.load())


@pytest.mark.parametrize(
    ("native_ms", "have", "lack"),
    [
        (5.0, ClaimResult.FAILS_ELSEWHERE, ClaimResult.HOLDS_ELSEWHERE),
        (10.0, ClaimResult.HOLDS_ELSEWHERE, ClaimResult.FAILS_ELSEWHERE),
        (14.0, ClaimResult.HOLDS_ELSEWHERE, ClaimResult.FAILS_ELSEWHERE),
        ([8.0, 10.0, 12.0], ClaimResult.UNDECIDED, ClaimResult.UNDECIDED),
    ],
)
def test_by_what_a_training_step_gains(tmp_path, native_ms, have, lack):
    for operation, claim, expected in (("telu", HAVE, have), ("mas", LACK, lack)):
        found = judged(tmp_path / operation, operation, native_ms)[claim]
        assert found.verdict is expected
        assert "A_NET fit on Keras 3 (JAX)" in found.why


@pytest.mark.parametrize(
    ("claim", "more", "verdict"),
    [
        (HAVE, {}, ClaimResult.NOT_TESTED),  # about other operations
        (LACK, {"task": "predict"}, ClaimResult.NOT_TESTED),
        (LACK, {"runs": 1}, ClaimResult.UNDECIDED),
    ],
)
def test_other_operations_and_tasks_test_nothing_and_one_run_decides_nothing(
    tmp_path, claim, more, verdict
):
    assert judged(tmp_path, "mas", 5.0, **more)[claim].verdict is verdict


def test_evidence_names_model_framework_and_verdict(tmp_path):
    found = judged(tmp_path, "mas", 5.0)[LACK]
    assert found.evidence == {"worth_it": {"a_net/Keras 3 (JAX)": "yes"}}
