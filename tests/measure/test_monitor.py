"""The monitor: real samples, simulated counters, faults that cost only readings, and findings."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.supervise import monitor, samples
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


def sample(at_s, **readings):
    names = "joules", "counter", "load", "frequency_mhz", "throttle_events", "swapped_mib", "gpu"
    return {**dict.fromkeys(names), "at_ns": round(at_s * S), **readings}


def gpu_reading(**changes):
    ranges = dict.fromkeys(samples.RANGES, 1)
    memory = {"process_memory_mib": None, "free_memory_mib": None}
    return {**ranges, **memory, "throttle_reasons": [], "foreign_processes": 0, **changes}


def test_device_memory_of_the_process_is_that_of_the_window_and_what_was_free_that_of_the_end():
    held = (100.0, 700.0, None, 900.0, 50.0)
    seen = [
        sample(at_s, gpu=gpu_reading(process_memory_mib=mib, free_memory_mib=1000.0 - at_s))
        for at_s, mib in enumerate(held)
    ]
    gpu = samples.summary(seen, (1 * S, 3 * S), 1.0)["gpu"]
    assert gpu["process_memory_mib"] == {"min": 700.0, "median": 800.0, "max": 900.0}
    assert samples.last_free_mib(seen) == 996.0
    assert samples.last_free_mib([sample(1)]) is None
    unknown = [sample(1, gpu=gpu_reading())]
    assert samples.summary(unknown, (0, 2 * S), 1.0)["gpu"]["process_memory_mib"] is None


def test_only_samples_inside_the_timed_window_count():
    loads = [sample(at_s, load=float(at_s), frequency_mhz=1000.0 + at_s) for at_s in range(10)]
    seen = samples.summary(loads, (3 * S, 6 * S), 1.0)
    assert (seen["samples"], seen["load_max"]) == (4, 6.0)
    assert seen["frequency_mhz"] == {"min": 1003.0, "median": 1004.5, "max": 1006.0}
    assert (seen["throttled"], seen["swapped_mib"], seen["gpu"]) == (None, None, None)


def test_without_a_window_or_samples_there_is_no_monitor_and_no_energy():
    assert samples.summary([sample(1)], None, 1.0) is None
    assert samples.summary([], (1 * S, 2 * S), 1.0) is None
    counted = [sample(at_s, joules=at_s, counter="rapl") for at_s in range(10)]
    assert samples.energy(counted, None, 5) is None
    assert samples.energy(counted, (20 * S, 30 * S), 5) is None


def test_a_window_between_two_samples_has_what_others_did_before_and_after_it_and_no_clocks():
    readings = [
        gpu_reading(throttle_reasons=["sync boost"], foreign_processes=5),
        gpu_reading(throttle_reasons=["power cap"], foreign_processes=1),
        gpu_reading(throttle_reasons=["power brake"]),
        gpu_reading(throttle_reasons=["display clocks"]),
    ]
    taken = [sample(at_s, load=1.0, gpu=reading) for at_s, reading in enumerate(readings)]
    seen = samples.summary(taken, (round(1.2 * S), round(1.4 * S)), 1.0)
    assert (seen["samples"], seen["load_max"]) == (0, None)
    told = {"throttle_reasons": ["power brake", "power cap"], "foreign_processes": 1}
    assert seen["gpu"] == dict.fromkeys((*samples.RANGES, "process_memory_mib")) | told


def test_counters_grow_from_just_before_the_window_to_just_after_it():
    counts = [sample(at_s, throttle_events=7 * at_s, swapped_mib=1.5) for at_s in range(10)]
    seen = samples.summary(counts, (round(3.5 * S), round(6.5 * S)), 1.0)
    assert (seen["throttled"], seen["swapped_mib"]) == (7 * 4, 0.0)


@given(
    power_w=st.floats(1, 1000),
    interval_s=st.floats(0.01, 1.0),
    start_s=st.floats(1, 5),
    length_s=st.floats(3, 20),
    steps=st.integers(1, 1000),
)
def test_constant_power_gives_its_joules_at_any_time(power_w, interval_s, start_s, length_s, steps):
    times = [interval_s * number for number in range(int(30 / interval_s))]
    counted = [sample(at_s, joules=5 + power_w * at_s, counter="nvml") for at_s in times]
    window = (round(start_s * S), round((start_s + length_s) * S))
    found = samples.energy(counted, window, steps)
    assert found["joules_per_step"] == pytest.approx(power_w * length_s / steps, rel=1e-6)
    assert found["counter"] == "nvml"


def test_energy_is_that_of_the_window_and_not_of_the_compilation_before_it():
    # 10 W until second 10, then 110 W: the window begins between two samples.
    joules = [10 * at_s + 100 * max(0, at_s - 10) for at_s in range(40)]
    counted = [sample(at_s, joules=more, counter="rapl") for at_s, more in enumerate(joules)]
    found = samples.energy(counted, (round(10.5 * S), round(30.5 * S)), 20)
    assert found["joules_per_step"] == pytest.approx(110)


def test_energy_is_not_guessed_beyond_the_samples():
    counted = [sample(at_s, joules=at_s, counter="rapl") for at_s in (2, 3, 4)]
    assert samples.energy(counted, (1 * S, 4 * S), 5) is None
    assert samples.energy(counted, (2 * S, 5 * S), 5) is None
    assert samples.energy(counted, (2 * S, 4 * S), 5)["joules_per_step"] == pytest.approx(0.4)


def test_ranges_reasons_and_foreign_processes_of_the_gpu():
    readings = [
        gpu_reading(power_w=300.0, throttle_reasons=["power cap"]),
        gpu_reading(power_w=350.0, foreign_processes=2),
        gpu_reading(power_w=340.0, throttle_reasons=["power cap", "power brake"]),
    ]
    taken = [sample(number, gpu=reading) for number, reading in enumerate([*readings, None])]
    gpu = samples.summary(taken, (0, 9 * S), 1.0)["gpu"]
    assert gpu["power_w"] == {"min": 300.0, "median": 340.0, "max": 350.0}
    assert gpu["throttle_reasons"] == ["power brake", "power cap"]
    assert gpu["foreign_processes"] == 2


def test_what_no_reading_of_the_gpu_tells_is_not_known():
    untold = gpu_reading(throttle_reasons=None, foreign_processes=None)
    gpu = samples.summary([sample(1, gpu=untold)], (0, 9 * S), 1.0)["gpu"]
    assert gpu["throttle_reasons"] is None and gpu["foreign_processes"] is None
    told = [sample(1, gpu=untold), sample(2, gpu=gpu_reading(foreign_processes=1))]
    gpu = samples.summary(told, (0, 9 * S), 1.0)["gpu"]
    assert (gpu["throttle_reasons"], gpu["foreign_processes"]) == ([], 1)
