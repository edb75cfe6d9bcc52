"""The monitor beside a run: a process of its own, real samples, and faults injected for real."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from supervise import parent
from supervise.monitor import Monitor
from tests.conftest import PROCESSORS

from .conftest import PLUGINS, SCHEMA, identity

ROOT = Path(__file__).parents[2]
S = 10**9


def monitored(environment, tmp_path, interpreter=sys.executable, **architecture):
    path = tmp_path / "run1.json"
    parent.run(
        identity("smoke", **architecture),
        environment,
        path,
        tmp_path / "run1.log",
        60,
        20_000,
        (PLUGINS,),
        interpreter,
    )
    return json.loads(path.read_text())


def test_a_real_run_is_sampled_while_it_is_timed(environment, tmp_path):
    record = monitored(environment, tmp_path, step_ms=60.0)
    jsonschema.validate(record, SCHEMA)
    monitor = record["monitor"]
    window_s = sum(block["elapsed_ns"] for block in record["timing"]["blocks"]) / S
    assert 1 <= monitor["samples"] <= window_s / monitor["interval_s"] + 1
    assert monitor["load_max"] > 0
    assert monitor["swapped_mib"] >= 0
    assert monitor["gpu"] is None


def test_a_gpu_that_cannot_be_sampled_is_said_and_the_rest_is_kept(capfd):
    """There is no NVML, or no GPU, where these tests run on a processor alone."""
    with Monitor(sys.executable, [0], "0", 0.05, {}) as monitor:
        time.sleep(1.5)
    assert monitor.samples
    gpu_is_there = monitor.samples[0]["gpu"] is not None
    assert ("the GPU is not sampled: " in capfd.readouterr().err) != gpu_is_there


@pytest.mark.parametrize("interpreter", [None, "/no/such/python", "/bin/false"])
def test_a_run_without_a_monitor_is_a_run(environment, tmp_path, interpreter):
    record = monitored(environment, tmp_path, interpreter)
    assert (record["status"], record["monitor"], record["energy"]) == ("ok", None, None)
    jsonschema.validate(record, SCHEMA)


def test_a_monitor_that_is_killed_or_hangs_costs_nothing_but_itself(monkeypatch, capfd):
    for fault in (signal.SIGKILL, signal.SIGSTOP):
        monkeypatch.setattr("supervise.monitor.STOP_S", 0.3)
        with Monitor(sys.executable, [0], None, 0.05, {}) as monitor:
            time.sleep(0.4)
            os.kill(monitor.pid, fault)
        assert monitor.samples == []
    assert capfd.readouterr().err.count("    monitor: ") == 2


def test_a_monitor_never_outlives_its_supervisor(tmp_path):
    program = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "workflow")!r})
from supervise.monitor import Monitor
monitor = Monitor({sys.executable!r}, [0], None, 0.05, {{}})
print(monitor.pid, flush=True)
time.sleep(60)
"""
    supervisor = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    pid = int(supervisor.stdout.readline())
    time.sleep(0.5)
    supervisor.kill()
    supervisor.wait()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}/cmdline").exists() and time.monotonic() < deadline:
        if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.skipif(len(PROCESSORS) < 2, reason="one processor: nothing is free")
def test_the_sampler_keeps_off_the_processors_of_the_run(every_processor):
    with Monitor(sys.executable, every_processor[1:], None, 0.05, {}) as monitor:
        time.sleep(0.5)
        assert os.sched_getaffinity(monitor.pid) == {every_processor[0]}
        assert os.getpriority(os.PRIO_PROCESS, monitor.pid) == 19
