"""The monitor: real samples, simulated counters, and faults that cost only the readings."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from millistep.supervise import monitor
from millistep.supervise.monitor import Monitor
from tests.conftest import PROCESSORS

from ..shared import put
from .nvml import Driver, refused

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


def write(path, content):
    put(path, f"{content}\n")


def power_domain(system, number, name, microjoules):
    domain = system / "class/powercap" / f"intel-rapl:{number}"
    write(domain / "name", name)
    write(domain / "energy_uj", microjoules)
    write(domain / "max_energy_range_uj", 10_000_000)
    return domain / "energy_uj"


def test_energy_counters_of_all_packages_add_up_and_may_wrap(tmp_path):
    first = power_domain(tmp_path, "0", "package-0", 9_000_000)
    second = power_domain(tmp_path, "1", "package-1", 0)
    power_domain(tmp_path, "0:0", "dram", 5_000_000)
    rapl = monitor.Rapl(tmp_path)
    write(second, 500_000)
    assert rapl.joules() == pytest.approx(0.5)
    write(first, 1_000_000)
    assert rapl.joules() == pytest.approx(2.5)


def test_throttle_events_are_those_of_the_runs_processors(tmp_path):
    for number, events in enumerate((3, 40, 500)):
        folder = tmp_path / f"devices/system/cpu/cpu{number}/thermal_throttle"
        write(folder / "core_throttle_count", events)
        write(folder / "package_throttle_count", 1)
    seen = Monitor([1, 2], None, 1.0, tmp_path).sample()
    assert seen["throttle_events"] == 40 + 500 + 2
    assert seen["joules"] is None


@pytest.fixture
def nvml(monkeypatch):
    """``nvml(...)``: the bindings over one GPU; used: bytes of each process on it."""

    def loaded(running=(), trouble=None, used=5 * 2**30):
        driver = Driver(
            nvmlInit=refused if trouble == "no driver" else lambda: None,
            nvmlDeviceGetHandleByIndex=lambda index: "gpu",
            nvmlDeviceGetHandleByUUID=lambda uuid: "gpu",
            nvmlDeviceGetClockInfo=lambda of, clock: {1: 1410, 2: 1215}[clock],
            nvmlDeviceGetTemperature=lambda of, sensor: 61,
            nvmlDeviceGetPowerUsage=lambda of: 312_500,
            nvmlDeviceGetUtilizationRates=lambda of: SimpleNamespace(gpu=97, memory=40),
            nvmlDeviceGetCurrentClocksThrottleReasons=lambda of: 0x1 | 0x4 | 0x40,
            nvmlDeviceGetComputeRunningProcesses=lambda of: [
                SimpleNamespace(pid=pid, usedGpuMemory=used) for pid in running
            ],
            nvmlDeviceGetMemoryInfo=lambda of: SimpleNamespace(free=3 * 2**30),
            nvmlDeviceGetTotalEnergyConsumption=refused if trouble else lambda of: 1_234_500,
        )
        monkeypatch.setitem(sys.modules, "pynvml", driver)

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return loaded


def test_the_readings_of_a_gpu(nvml):
    nvml()
    seen = Monitor([0], "GPU-abc", 1.0).sample()
    assert (seen["joules"], seen["counter"]) == (1234.5, "nvml")
    clocks = {"sm_clock_mhz": 1410, "memory_clock_mhz": 1215}
    load = {"temperature_c": 61, "power_w": 312.5, "utilization_percent": 97}
    memory = {"process_memory_mib": None, "free_memory_mib": 3 * 1024.0}
    reasons = ["power cap", "thermal slowdown by hardware"]
    others = {"throttle_reasons": reasons, "foreign_processes": 0}
    assert seen["gpu"] == {**clocks, **load, **memory, **others}


@pytest.fixture
def child():
    """``child(**variables)``: the id of a new child of this process, which plays the supervisor."""
    with contextlib.ExitStack() as stack:

        def started(**variables):
            sleeper = subprocess.Popen(["sleep", "60"], env={**os.environ, **variables})
            stack.callback(sleeper.wait)
            stack.callback(sleeper.kill)
            return sleeper.pid

        yield started


def test_processes_that_measure_are_not_foreign_and_only_the_runs_own_memory_counts(nvml, child):
    def seen(*running, **more):
        nvml(running=running, **more)
        reading = monitor.Gpu("0").reading()
        return reading["foreign_processes"], reading["process_memory_mib"]

    own, other = child(MILLISTEP_SCRATCH="/tmp/x"), child()
    assert seen(own) == (0, 5 * 1024)
    assert seen(own, other) == (1, 10 * 1024)
    assert seen(own, 1) == (1, 5 * 1024)
    # In a container no number may be known: a single process is ours, of two nobody can tell.
    assert seen(999_999_999) == (0, 5 * 1024)
    assert seen(999_999_999, 999_999_998) == (None, None)
    assert seen() == (0, None)
    assert seen(own, used=None) == (0, None)  # a driver that does not say


def test_the_processes_on_a_gpu_are_asked_for_once_in_a_sample(nvml, monkeypatch):
    nvml()
    asked = []
    question = "nvmlDeviceGetComputeRunningProcesses"
    monkeypatch.setattr(sys.modules["pynvml"], question, lambda of: asked.append(of) or [])
    assert monitor.Gpu("0").reading()["foreign_processes"] == 0
    assert asked == ["gpu"]


def test_a_gpu_without_driver_or_counter_costs_its_readings_alone(nvml):
    nvml(trouble="no driver")
    seen = Monitor([0], "0", 1.0).sample()
    assert (seen["gpu"], seen["joules"], seen["counter"]) == (None, None, None)
    nvml(trouble="no counter")
    seen = Monitor([0], "0", 1.0).sample()
    assert seen["gpu"]["power_w"] == 312.5
    assert seen["joules"] is None


def test_a_question_that_a_driver_does_not_answer_costs_no_other_reading(nvml, monkeypatch):
    nvml()
    for question in ("CurrentClocksThrottleReasons", "ComputeRunningProcesses"):
        monkeypatch.setattr(sys.modules["pynvml"], f"nvmlDeviceGet{question}", refused)
    seen = Monitor([0], "GPU-abc", 1.0).sample()["gpu"]
    assert (seen["throttle_reasons"], seen["foreign_processes"]) == (None, None)
    assert (seen["sm_clock_mhz"], seen["power_w"]) == (1410, 312.5)
