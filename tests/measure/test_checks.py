"""Reference workload and self-test as commands, with an interpreter that has no framework."""

import json
import sys
from types import SimpleNamespace

import pytest

from millistep.measure.controls import reference
from millistep.supervise.ending import of_control

from ..shared import ROOT, put, succeed
from .conftest import ENVIRONMENT, identity, wanted

REFERENCE = {"part_s": 0.01}
KNOWN_STEPS = {"known_steps": [[2, 3], [20, 1]]}
PROGRAMS = [("reference", REFERENCE), ("known-steps", KNOWN_STEPS)]


@pytest.fixture
def made(tmp_path):
    """``made(program, asked)``: run a command; return the file that it wrote."""

    def run(program, asked, attempt=1, **marker):
        environment = ENVIRONMENT | marker
        put(tmp_path / "marker.json", json.dumps(environment))
        command = [sys.executable, "-s", str(ROOT / "workflow"), program]
        options = {
            "identity": identity(changes=asked),
            "environment": wanted(tmp_path / "marker.json", environment["method"]),
            "log": tmp_path / "logs" / "log",
            "output": tmp_path / "output.json",
            "memory-gib": 20,
            "attempt": attempt,
        }
        if program == "reference":
            options |= {"results": tmp_path, "around": "cpu", "accelerators": "cpu"}
            options |= {"round": "smoke/fake/fit-b4/round1"}
        succeed([*command, *(f"--{name}={value}" for name, value in options.items())], timeout=120)
        return json.loads((tmp_path / "output.json").read_text())

    return run


def test_a_reference_workload_without_its_library_is_a_file_with_the_reason(made):
    found = made("reference", REFERENCE)
    assert found["schema"] == "millistep.reference/1"
    assert found["cell"]["batch_size"] == 4 and found["round"] == 1 and found["session"]["id"]
    assert found["status"] == "error"
    assert found["reason"].startswith("missing package, ModuleNotFoundError")
    assert found["python_loop_ms"] > 0  # parts before the library's are kept
    assert found["matmul"] == []
    assert of_control(found) == (found["status"], found["reason"])


@pytest.mark.parametrize(("program", "asked"), PROGRAMS)
def test_what_cannot_be_measured_is_a_file_with_the_reason(made, tmp_path, program, asked):
    in_the_way = put(tmp_path / "logs", "a file in the place of a folder")
    found = made(program, asked)
    assert found["status"] == "error" and "logs" in found["reason"]
    in_the_way.unlink()
    found = made(program, asked, method="venv", packages={"numpy": "0.0.1"})
    assert found["status"] == "error"
    assert "packages differ" in found["reason"] == found["refused"]


@pytest.mark.parametrize(("program", "asked"), PROGRAMS)
def test_the_second_attempt_records_that_the_first_was_killed_or_had_no_room(
    made, tmp_path, program, asked
):
    assert made(program, asked, attempt=2)["status"] == "killed"
    (tmp_path / ".output.json.unwritten").touch()
    found = made(program, asked, attempt=2)
    reason = "the first attempt could not write: No space left on device"
    assert (found["status"], found["reason"]) == ("error", reason)


def test_known_steps_are_reported_as_long_as_they_are(made):
    found = made("known-steps", KNOWN_STEPS)
    assert (found["status"], found["reason"]) == ("ok", "")
    assert [len(step["runs_ms"]) for step in found["known_steps"]] == [3, 1]
    for step in found["known_steps"]:
        # The self-test of a quiet machine is held to 0.5 %; here others may take a turn.
        assert step["nominal_ms"] <= step["measured_ms"] < step["nominal_ms"] + 10


def test_a_blocks_seconds_are_those_of_a_call(monkeypatch):
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)
    monkeypatch.setattr(reference, "time", clock)

    def takes(seconds):
        clock.now += seconds

    # The first call, which is not reported, and three blocks of 4 in the 20 seconds.
    calls = iter([100.0] + [2.0] * 12)
    seconds = reference.repeated(lambda: takes(next(calls)), lambda: takes(0.4), 4, 20.0)
    assert [round(each, 3) for each in seconds] == [2.1] * 3
    assert not [*calls]
