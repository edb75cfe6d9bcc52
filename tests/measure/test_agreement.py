"""An operation in one of its ways: equal results or no number, its costs, and its own time."""

import re

import pytest

from measure.agreement import STEPS

NATIVE = {"operation": "mas", "way": "native", "extras": []}


@pytest.fixture
def measured(run):
    """``measured(**wanted)``: the record of a native run; wanted: of the fake operation."""

    def made(changes=NATIVE, trouble=None, **wanted):
        more = {"trouble": trouble} if trouble else {}
        record = run(changes=changes, operation={"alone_ms": 2.0, **wanted}, **more)
        return record

    return made


def test_a_way_that_gives_what_is_expected_is_timed_by_itself(measured):
    record = measured(trouble="builds")
    assert (record["status"], record["reason"]) == ("ok", "")
    found = record["operation"]
    assert (found["name"], found["way"], found["uses"]) == ("mas", "native", 3)
    agreement = found["agreement"]
    assert agreement["outputs"] == {"largest_difference": 0.0, "allowed": 0.0}
    assert agreement["gradients"] == {"largest_difference": 0.0, "allowed": 2.0 * 5e-5}
    losses = {"largest_difference": 0.0, "allowed": 1e-4, "steps": STEPS}
    assert agreement["losses"] == {**losses, "against": "framework"}
    assert len(found["alone_ns"]) == 5
    assert all(2e6 <= ns < 1e9 for ns in found["alone_ns"])
    # Two small functions in Python, what binds the search to ctypes, and the search itself.
    assert found["lines"] == 5 + 5 + 10 + 23
    assert found["build"]["compile_flags"][:3] == ["-O3", "-march=native", "-ffast-math"]
    assert not any("fast-math" in flag for flag in found["build"]["link_flags"])
    assert found["build"]["seconds"] > 0
    assert re.search(r"\d+\.\d+", found["build"]["compiler"])


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"output": 1}, "output of the way native differs by 1, allowed is 0"),
        ({"gradient": 2e-4}, "gradient of the way native differs by 0.0002, allowed is 0.0001"),
        ({"gradient": float("nan")}, "gradient of the way native differs by nan, allowed is"),
        ({"losses": 4e-4}, "relative to the way framework, differs by 0.0002, allowed is 0.0001"),
        ({"by_columns": True}, "output of the way native does not lie row by row in memory"),
        ({"other_shape": True}, "output of the way native has shape (3,), not (4,)"),
    ],
)
def test_a_way_that_differs_is_an_error_and_no_number(measured, wanted, reason):
    record = measured(**wanted)
    assert record["status"] == "error"
    assert record["reason"].startswith("WrongResult: ") and reason in record["reason"]
    assert record["operation"] is None and not record["ending"]["measured"]


def test_without_a_compiler_a_native_way_is_unsupported(measured):
    record = measured(trouble="needs_a_compiler")
    assert record["status"] == "unsupported"
    assert record["reason"] == (
        "no compiler on the PATH: neither gcc nor cc nor clang; CC may name another"
    )


def test_an_operation_that_cannot_be_timed_alone_costs_nothing_else(measured):
    record = measured(alone_fails=True)
    assert (record["status"], record["reason"]) == ("ok", "")
    assert (record["operation"]["uses"], record["operation"]["alone_ns"]) == (None, [])
    assert record["withheld"] == ["operation.alone_ns: ValueError: it cannot be called alone"]
