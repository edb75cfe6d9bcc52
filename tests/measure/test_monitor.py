"""The monitor beside a run: a process of its own, real samples, and faults injected for real."""

import os
import signal
import subprocess
import sys
import time

import pytest

from supervise.monitor import Monitor
from tests.conftest import PROCESSORS

from ..shared import ROOT, gone

S = 10**9


def test_a_real_run_is_sampled_while_it_is_timed(run):
    record = run(more={"monitor_interpreter": sys.executable}, step_ms=60.0)
    monitor = record["monitor"]
    first, last = (record["timing"]["blocks"][place] for place in (0, -1))
    window_s = (last["start_ns"] + last["elapsed_ns"] - first["start_ns"]) / S
    assert 1 <= monitor["samples"] <= window_s / monitor["interval_s"] + 1
    assert monitor["load_max"] > 0
    assert monitor["swapped_mib"] >= 0
    assert monitor["gpu"] is None


@pytest.mark.parametrize("interpreter", [None, "/no/such/python", "/bin/false"])
def test_a_run_without_a_monitor_is_a_run(run, interpreter):
    record = run(more={"monitor_interpreter": interpreter})
    assert (record["status"], record["monitor"], record["energy"]) == ("ok", None, None)


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
    assert gone(pid)


@pytest.mark.skipif(len(PROCESSORS) < 2, reason="one processor: nothing is free")
def test_the_sampler_keeps_off_the_processors_of_the_run(every_processor):
    with Monitor(sys.executable, every_processor[1:], None, 0.05, {}) as monitor:
        time.sleep(0.5)
        assert os.sched_getaffinity(monitor.pid) == {every_processor[0]}
        assert os.getpriority(os.PRIO_PROCESS, monitor.pid) == 19
