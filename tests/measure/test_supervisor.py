"""The command of a run: it ends with one line, leaves no process, and never half a record."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import PLUGINS, identity

ROOT = Path(__file__).parents[2]


def command(tmp_path, environment, **architecture):
    marker = tmp_path / "marker.json"
    marker.write_text(json.dumps(environment))
    return [
        sys.executable,
        "-s",
        str(ROOT / "workflow/supervise"),
        "cell",
        *("--identity", identity(**architecture)),
        *("--plan", str(tmp_path / "plan.json")),
        *("--deployment", "interpreter"),
        *("--definition", str(tmp_path / "fake.yaml")),
        *("--environment", str(marker)),
        *("--record", str(tmp_path / "run1.json")),
        *("--results", str(tmp_path), "--around", "cpu"),
        *("--log", str(tmp_path / "run1.log")),
        *("--time-limit-s", "60"),
        *("--memory-gib", "20"),
        *("--attempt", "1"),
        *("--folder", PLUGINS),
    ]


def wait_for(path, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process_and_no_record(tmp_path, environment, how):
    pids = tmp_path / "pids"
    process = subprocess.Popen(
        command(tmp_path, environment, trouble="leaves_a_grandchild", pids=str(pids))
    )
    children = [int(pid) for pid in wait_for(pids).split()]
    process.send_signal(how)
    assert process.wait(timeout=20) == 128 + how
    time.sleep(0.2)
    assert all(gone(pid) for pid in children)
    assert sorted(path.name for path in tmp_path.glob(".run1*")) == []
    assert not (tmp_path / "run1.json").exists()


def test_a_killed_supervisor_leaves_no_child(tmp_path, environment):
    pids = tmp_path / "pids"
    process = subprocess.Popen(
        command(tmp_path, environment, trouble="leaves_a_grandchild", pids=str(pids))
    )
    child = int(wait_for(pids).split()[0])
    process.kill()
    process.wait()
    time.sleep(0.5)
    assert gone(child)
    os.kill(int(pids.read_text().split()[1]), signal.SIGKILL)


def test_a_refused_run_ends_with_one_line(tmp_path, environment):
    environment["packages"] = {"numpy": "0.0.1"}
    environment["method"] = "venv"
    line = command(tmp_path, environment)
    line[line.index("--deployment") + 1] = "venv"
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    refusals = [text for text in done.stderr.splitlines() if text.startswith("millistep: ")]
    assert len(refusals) == 1
    assert "packages differ" in refusals[0]
    assert not (tmp_path / "run1.json").exists()
