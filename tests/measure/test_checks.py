"""Reference workload and self-test as commands, with an interpreter that has no framework."""

import json
import sys

import pytest

from millistep.supervise.ending import of_control

from ..shared import ROOT, succeed
from .conftest import identity, wanted

REFERENCE = {**json.loads(identity()), "part_s": 0.01}
KNOWN_STEPS = {**json.loads(identity()), "known_steps": [[2, 3], [20, 1]]}


@pytest.fixture
def made(tmp_path, environment):
    """``made(program, identity)``: run a command; return the file that it wrote."""

    def run(program, identity, attempt=1):
        (tmp_path / "marker.json").write_text(json.dumps(environment))
        command = [sys.executable, "-s", str(ROOT / "workflow"), program]
        options = {
            "identity": json.dumps(identity, sort_keys=True),
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


PROGRAMS = [("reference", REFERENCE), ("known-steps", KNOWN_STEPS)]


@pytest.mark.parametrize(("program", "identity"), PROGRAMS)
def test_a_broken_environment_is_a_file_with_the_reason(made, environment, program, identity):
    environment.update(method="venv", packages={"numpy": "0.0.1"})
    found = made(program, identity)
    assert found["status"] == "error"
    assert "packages differ" in found["reason"] == found["refused"]


@pytest.mark.parametrize(("program", "identity"), PROGRAMS)
def test_the_second_attempt_records_that_the_first_was_killed_or_had_no_room(
    made, tmp_path, program, identity
):
    assert made(program, identity, attempt=2)["status"] == "killed"
    (tmp_path / ".output.json.unwritten").touch()
    found = made(program, identity, attempt=2)
    reason = "the first attempt could not write: No space left on device"
    assert (found["status"], found["reason"]) == ("error", reason)


def test_known_steps_are_reported_as_long_as_they_are(made):
    found = made("known-steps", KNOWN_STEPS)
    assert (found["status"], found["reason"]) == ("ok", "")
    assert [len(step["runs_ms"]) for step in found["known_steps"]] == [3, 1]
    for step in found["known_steps"]:
        # The self-test of a quiet machine is held to 0.5 %; here others may take a turn.
        assert step["nominal_ms"] <= step["measured_ms"] < step["nominal_ms"] + 10


@pytest.mark.parametrize(("program", "identity"), PROGRAMS)
def test_a_file_in_the_place_of_a_folder_is_named(made, program, identity, tmp_path):
    (tmp_path / "logs").write_text("a file in the place of a folder")
    found = made(program, identity)
    assert found["status"] == "error" and "logs" in found["reason"]
