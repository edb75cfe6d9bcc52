"""The monitor in the supervisor: real samples, and faults that cost only the readings."""

import os
import threading
import time

import pytest

from millistep.supervise import monitor
from millistep.supervise.monitor import Monitor
from tests.conftest import PROCESSORS

S = 10**9


def test_a_real_run_is_sampled_while_it_is_timed(run):
    record = run(step_ms=60.0)
    found = record["monitor"]
    first, *_, last = record["timing"]["windows"]
    window_s = (last["start_ns"] + last["elapsed_ns"] - first["start_ns"]) / S
    assert 1 <= found["samples"] <= window_s / found["interval_s"] + 1
    assert found["load_max"] > 0
    assert found["swapped_mib"] >= 0
    assert found["gpu"] is None


def test_a_reading_that_hangs_costs_nothing_but_the_samples(monkeypatch):
    monkeypatch.setattr(monitor, "STOP_S", 0.1)
    over = threading.Event()
    watching = Monitor([0], None, 0.01)
    monkeypatch.setattr(watching, "sample", over.wait)
    with watching:
        time.sleep(0.1)
    assert watching.samples == []
    over.set()


@pytest.mark.skipif(len(PROCESSORS) < 2, reason="one CPU: no other one is free")
def test_the_monitor_keeps_off_the_cpus_of_the_run(every_processor):
    with Monitor(every_processor[1:], None, 0.05) as watching:
        time.sleep(0.3)
        thread = watching._thread.native_id
        assert os.sched_getaffinity(thread) == {every_processor[0]}
        assert os.getpriority(os.PRIO_PROCESS, thread) == 19
    assert os.sched_getaffinity(0) == {*every_processor}
    assert os.getpriority(os.PRIO_PROCESS, 0) < 19 and watching.samples
