"""An environment that cannot be deployed costs its own cells alone, and those say why."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from contract import ending
from deploy.environments import definition_sha256
from supervise import jobs
from tests.test_overlays import planned, schema
from tests.workshop import make_workshop

ROOT = Path(__file__).parents[1]


@pytest.fixture
def broken(tmp_path):
    """A workshop whose script fails, in a folder of that name."""
    workshop = make_workshop(tmp_path / "broken")
    workshop.script.write_text("echo 'ERROR: Invalid requirement: x'; exit 1\n")
    return workshop


def identity_in(workshop) -> str:
    """Of a run, but in the environment of a workshop."""
    found = {**json.loads(planned().runs[0].identity)}
    found["environment"] = definition_sha256(workshop.definition)
    return json.dumps(found, sort_keys=True)


def options_in(workshop, folder) -> dict:
    """What a rule has for the command of a canary in the environment of a workshop."""
    return {
        "identity": identity_in(workshop),
        "deployment": "venv",
        "definition": str(workshop.definition),
        "environment": str(folder / f"{workshop.folder.name}.json"),
        "overlay": [],
    }


def test_a_cell_says_in_one_line_why_it_has_no_environment(broken, tmp_path):
    record = tmp_path / "records" / "run1.json"
    options = options_in(broken, tmp_path)
    command = [sys.executable, "-s", str(ROOT / "workflow/supervise"), "cell"]
    command += ["--record", str(record), "--log", str(tmp_path / "log"), "--time-limit-s", "9"]
    command += ["--memory-gib", "1", "--plan", str(tmp_path / "plan")]
    command += ["--results", str(tmp_path), "--around", "cpu"]
    for name in ("identity", "deployment", "definition", "environment"):
        command += [f"--{name}", options[name]]
    done = subprocess.run(command, env=broken.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(record.read_text())
    jsonschema.validate(found, schema("record"))
    assert (found["status"], found["reason"]) == ending.of_record(found)
    assert found["status"] == "error" and list(found["not_tried"]) == ["not_deployed"]
    assert "its command failed: Invalid requirement: x" in found["reason"]
    assert "\n" not in found["reason"] and found["reason"] in done.stderr
    # What was measured before is worth more than that.
    earlier = {**found, "status": "ok", "not_tried": None, "identity": "{}"}
    record.write_text(json.dumps(earlier))
    done = subprocess.run(command, env=broken.environ, capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(record.read_text()) == earlier
    assert "could not begin, and stays as it is: " in done.stderr


def test_fixed_work_goes_to_an_environment_that_is_there(
    broken, workshop, tmp_path, monkeypatch, capsys
):
    for name, value in workshop.environ.items():
        monkeypatch.setenv(name, value)
    own, other = options_in(broken, tmp_path), options_in(workshop, tmp_path)
    options = argparse.Namespace(**own, output=tmp_path / "0.json", instead=[json.dumps(other)])
    options.environment, options.definition = Path(own["environment"]), Path(own["definition"])
    found = jobs.in_what_can_be_deployed(options)
    assert (found.identity, found.definition) == (other["identity"], workshop.definition)
    assert f"in the environment {workshop.folder.name} instead" in capsys.readouterr().err
    options.instead = []
    assert jobs.in_what_can_be_deployed(options) == options
