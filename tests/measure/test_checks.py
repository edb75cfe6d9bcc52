"""Canary and self-test as commands, with an interpreter that has no framework at all."""

import errno
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from contract.ending import of_control
from measure.protocol import PROTOCOLS
from supervise import jobs, known_steps
from supervise.monitor import Monitor
from supervise.preconditions import Refused

from ..planning.test_config import plan
from ..shared import ROOT, succeed, valid

CONTROLS = plan(columns=["pytorch-eager"], models={"bert": {"predict": 1}}, threads=1).controls
HERE = {"environment": "0" * 64, "interpreter": sys.executable}
CANARY = {**json.loads(CONTROLS.canary_of(CONTROLS.column)), **HERE, "part_s": 0.01}
KNOWN_STEPS = {
    **json.loads(CONTROLS.known_steps.identity),
    **HERE,
    "known_steps": [[2, 3], [20, 1]],
}
KNOWN_STEPS |= {"monitor_pairs": 2, "monitor_part_s": 0.1}


@pytest.fixture
def made(tmp_path, environment):
    """``made(program, identity, *options)``: run a command; return what it wrote."""

    def run(program, identity, *options, attempt=1):
        (tmp_path / "marker.json").write_text(json.dumps(environment))
        command = [sys.executable, "-s", str(ROOT / "workflow/supervise"), program, *options]
        said = {
            "identity": json.dumps(identity, sort_keys=True),
            "deployment": environment["method"],
            "definition": tmp_path / "fake.yaml",
            "environment": tmp_path / "marker.json",
            "log": tmp_path / "logs" / "log",
            "output": tmp_path / "output.json",
            "memory-gib": 20,
            "attempt": attempt,
        }
        if program == "canary":
            said |= {"results": tmp_path, "around": "cpu", "accelerators": "cpu"}
            said |= {"block": "smoke/fake/fit-b4/round1", "when": "before"}
        command += [word for name, value in said.items() for word in (f"--{name}", str(value))]
        succeed(command, timeout=120)
        found = json.loads((tmp_path / "output.json").read_text())
        return found["sittings"][-1]["canary"] if program == "canary" else found

    return run


def test_a_canary_without_its_library_is_a_file_that_says_so(made):
    canary = made("canary", CANARY)
    valid(canary, "canary")
    assert canary["status"] == "error"
    assert canary["reason"].startswith("missing package, ModuleNotFoundError")
    assert canary["python_loop_ms"] > 0  # parts before the library's are kept
    assert canary["matmul"] == []
    assert of_control(canary) == (canary["status"], canary["reason"])
    assert canary["ending"]["failure"]["type"] == "ModuleNotFoundError"


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "output.json: No space left on device"),
        (Refused("not here"), "not here"),
        (ValueError("a fault of ours"), None),
    ],
)
def test_a_control_that_failed_was_not_killed(tmp_path, problem, said, monkeypatch, capfd):
    monkeypatch.setattr(jobs, "end_with_snakemake", lambda: None)
    monkeypatch.chdir(tmp_path)
    tried = []

    def fails(options):
        tried.append(options.attempt)
        raise problem

    first, second = (SimpleNamespace(output=Path("output.json"), attempt=n) for n in (1, 2))
    for _ in range(2):
        if said:
            assert jobs.exit_code(fails, first) == 1
            assert capfd.readouterr().err == f"millistep: {said}\n"
        else:
            with pytest.raises(ValueError, match="a fault of ours"):
                jobs.exit_code(fails, first)
    assert jobs.exit_code(fails, second) == 1
    assert tried == [1, 1] and capfd.readouterr().err == "" and not [*tmp_path.iterdir()]


PROGRAMS = [("canary", CANARY, "canary"), ("known_steps", KNOWN_STEPS, "self_test")]


@pytest.mark.parametrize(("program", "identity", "name"), PROGRAMS)
def test_a_broken_environment_is_a_file_that_says_so(made, environment, program, identity, name):
    environment.update(method="venv", packages={"numpy": "0.0.1"})
    found = valid(made(program, identity), name)
    assert found["status"] == "error"
    assert "packages differ" in found["reason"] == found["refused"]


@pytest.mark.parametrize(("program", "identity", "name"), PROGRAMS)
def test_a_job_that_was_killed_whole_says_so_at_its_second_attempt(made, program, identity, name):
    found = made(program, identity, attempt=2)
    valid(found, name)
    assert found["status"] == "killed"


def test_known_steps_are_reported_as_long_as_they_are(made):
    found = made("known_steps", KNOWN_STEPS, "--monitor-interpreter", sys.executable)
    valid(found, "self_test")
    assert (found["status"], found["reason"]) == ("ok", "")
    short, long = found["known_steps"]
    least = PROTOCOLS["smoke"].min_steps
    assert short["steps"] >= 3 * least  # steps of three runs
    assert long["steps"] >= least
    for step in found["known_steps"]:
        # The self-test of a quiet machine is held to 0.5 %; here others may take a turn.
        assert step["nominal_ms"] <= step["measured_ms"] < step["nominal_ms"] + 10
    assert found["monitor"] is None  # there is no library for its step here
    assert json.loads(found["identity"]) == KNOWN_STEPS


def test_the_monitor_is_half_as_often_asked_where_it_is_stopped_half_of_the_time(monkeypatch):
    asked = []

    def recorded(interpreter, processors, gpu, interval_s, variables):
        asked.append(interval_s)
        return Monitor(None, processors, gpu, interval_s, variables)

    monkeypatch.setattr(known_steps, "Monitor", recorded)
    options = SimpleNamespace(monitor_interpreter=None)
    assert known_steps.monitor_pair(KNOWN_STEPS, {}, options) is None
    assert asked == [2 * PROTOCOLS[KNOWN_STEPS["scale"]].monitor_s]


@pytest.mark.parametrize("interpreter", [[], ["--monitor-interpreter", "/bin/false"]])
def test_without_a_monitor_its_cost_is_not_measured(made, interpreter):
    found = made("known_steps", {**KNOWN_STEPS, "known_steps": [[2, 1]]}, *interpreter)
    assert (found["status"], found["monitor"]) == ("ok", None)
    assert len(found["known_steps"]) == 1


@pytest.mark.parametrize(("program", "identity", "name"), PROGRAMS)
def test_what_cannot_be_written_is_said_and_was_not_killed(
    made, environment, program, identity, name, tmp_path
):
    (tmp_path / "logs").write_text("a file in the place of a folder")
    found = valid(made(program, identity), name)
    assert found["status"] == "error" and "logs" in found["reason"]
