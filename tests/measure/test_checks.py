"""Canary and self-test as commands, with an interpreter that has no framework at all."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from contract.ending import of_control
from measure.protocol import PROTOCOLS
from supervise import self_test

ROOT = Path(__file__).parents[2]
FACTS = {
    "accelerator": "cpu",
    "device": None,
    "environment": "0" * 64,
    "framework": "pytorch-eager",
    "interpreter": sys.executable,
    "library": "torch",
    "scale": "smoke",
    "seed": 1,
    "sources": "0" * 64,
    "threads": 1,
    "variables": {},
}
CANARY = {**FACTS, "part_s": 0.01}
KNOWN_STEPS = {
    **FACTS,
    "known_steps": [[2, 3], [20, 1]],
    "monitor_pairs": 2,
    "monitor_part_s": 0.1,
}


def schema(name):
    """Of a file; a canary is a part of a block's."""
    file = "block" if name == "canary" else name
    found = json.loads((ROOT / f"workflow/schemas/{file}.schema.json").read_text())
    return found["$defs"]["canary"] if name == "canary" else found


@pytest.fixture
def made(tmp_path, environment):
    """``made(program, identity, *options)``: run a command; what it wrote."""

    def run(program, identity, *options, attempt=1):
        (tmp_path / "marker.json").write_text(json.dumps(environment))
        command = [sys.executable, "-s", str(ROOT / "workflow/supervise"), program]
        command += ["--identity", json.dumps(identity, sort_keys=True)]
        command += ["--deployment", environment["method"]]
        command += ["--definition", str(tmp_path / "fake.yaml")]
        command += ["--environment", str(tmp_path / "marker.json")]
        command += ["--log", str(tmp_path / "logs" / "log")]
        command += ["--output", str(tmp_path / "output.json")]
        command += ["--memory-gib", "20", "--attempt", str(attempt), *options]
        if program == "canary":
            command += ["--results", str(tmp_path), "--around", "cpu", "--accelerators", "cpu"]
            command += ["--block", "smoke/fake/fit-b4/round1", "--when", "before"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failed(done.stderr)
        found = json.loads((tmp_path / "output.json").read_text())
        return found["sittings"][-1]["canary"] if program == "canary" else found

    return run


class Failed(Exception):
    """What a command said before it ended with another code than 0."""


def test_a_canary_without_its_library_is_a_file_that_says_so(made):
    canary = made("canary", CANARY)
    jsonschema.validate(canary, schema("canary"))
    assert canary["status"] == "error"
    assert canary["reason"].startswith("missing package, ModuleNotFoundError")
    assert canary["python_loop_ms"] > 0  # what came before the library is kept
    assert canary["matmul"] == []
    assert of_control(canary) == (canary["status"], canary["reason"])
    assert canary["ending"]["failure"]["type"] == "ModuleNotFoundError"


def test_a_canary_that_cannot_be_written_ends_with_one_line(made, tmp_path):
    (tmp_path / "output.json").mkdir()
    with pytest.raises(Failed) as failure:
        made("canary", CANARY, attempt=2)
    assert "output.json: cannot be written: Is a directory" in str(failure.value)
    assert "Traceback" not in str(failure.value)


def test_a_canary_whose_environment_is_broken_is_a_file_that_says_so(made, environment):
    environment.update(method="venv", packages={"numpy": "0.0.1"})
    canary = made("canary", CANARY)
    jsonschema.validate(canary, schema("canary"))
    assert canary["status"] == "error"
    assert "packages differ" in canary["reason"] == canary["refused"]


@pytest.mark.parametrize(
    ("program", "identity", "name"),
    [("canary", CANARY, "canary"), ("known_steps", KNOWN_STEPS, "self_test")],
)
def test_a_job_that_was_killed_whole_says_so_at_its_second_attempt(made, program, identity, name):
    found = made(program, identity, attempt=2)
    jsonschema.validate(found, schema(name))
    assert found["status"] == "killed"


def test_known_steps_are_reported_as_long_as_they_are(made):
    found = made("known_steps", KNOWN_STEPS, "--monitor-interpreter", sys.executable)
    jsonschema.validate(found, schema("self_test"))
    assert (found["status"], found["reason"]) == ("ok", "")
    short, long = found["known_steps"]
    least = PROTOCOLS["smoke"].min_steps
    assert short["steps"] >= 3 * least  # of three runs
    assert long["steps"] >= least
    for step in found["known_steps"]:
        # The self-test of a quiet machine is held to 0.5 %; here others may take a turn.
        assert step["nominal_ms"] <= step["measured_ms"] < step["nominal_ms"] + 10
    assert found["monitor"] is None  # there is no library for its step here
    assert json.loads(found["identity"]) == KNOWN_STEPS


@pytest.mark.parametrize("interpreter", [[], ["--monitor-interpreter", "/bin/false"]])
def test_without_a_monitor_its_cost_is_not_measured(made, interpreter):
    found = made("known_steps", {**KNOWN_STEPS, "known_steps": [[2, 1]]}, *interpreter)
    assert (found["status"], found["monitor"]) == ("ok", None)
    assert len(found["known_steps"]) == 1


def test_known_steps_in_a_broken_environment_say_so(made, environment):
    environment.update(method="venv", packages={"numpy": "0.0.1"})
    found = made("known_steps", KNOWN_STEPS)
    jsonschema.validate(found, schema("self_test"))
    assert (found["status"], found["known_steps"]) == ("error", [])
    assert "packages differ" in found["reason"] == found["refused"]


def record(number, step_ms, status="ok"):
    blocks = [{"steps": 4, "elapsed_ns": round(4e6 * step_ms)}]
    cell = {"model": "bert", "task": "fit", "batch_size": 4, "column": "x", "run": number}
    return {"status": status, "cell": cell, "timing": {"blocks": blocks}}


def test_two_names_are_compared_in_the_rounds_in_which_both_were_measured():
    pairs = [
        (record(1, 10.0), record(1, 10.5)),
        (record(2, 10.0, "timeout"), record(2, 10.1)),
        (record(3, 11.0), record(3, 11.5)),
    ]
    assert self_test.same_cell(pairs) == {
        "model": "bert",
        "task": "fit",
        "batch_size": 4,
        "column": "x",
        "a_ms": {"1": 10.0, "3": 11.0},
        "b_ms": {"1": 10.5, "3": 11.5},
    }
    assert self_test.same_cell(pairs[1:2]) is None
    assert self_test.same_cell([]) is None
