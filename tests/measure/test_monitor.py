"""The monitor: real samples of this machine, fake sensors, and faults injected for real."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure import parent, sampler, samples
from measure.monitor import Monitor

from .conftest import PLUGINS, identity

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
S = 10**9


def sample(at_s, **readings):
    blank = dict.fromkeys(
        ("joules", "counter", "load", "frequency_mhz", "throttle_events", "swapped_mib", "gpu")
    )
    return {**blank, "at_ns": round(at_s * S), **readings}


def gpu_reading(**changes):
    ranges = dict.fromkeys(samples.RANGES, 1)
    return {**ranges, "throttle_reasons": [], "foreign_processes": 0, **changes}


def test_only_samples_inside_the_timed_window_count():
    loads = [sample(at_s, load=float(at_s), frequency_mhz=1000.0 + at_s) for at_s in range(10)]
    seen = samples.summary(loads, (3 * S, 6 * S), 1.0)
    assert (seen["samples"], seen["load_max"]) == (4, 6.0)
    assert seen["frequency_mhz"] == {"min": 1003.0, "median": 1004.5, "max": 1006.0}
    assert (seen["throttled"], seen["swapped_mib"], seen["gpu"]) == (None, None, None)


@pytest.mark.parametrize("window", [None, (20 * S, 30 * S)])
def test_a_window_without_samples_has_no_monitor_and_no_energy(window):
    counted = [sample(at_s, joules=at_s, counter="rapl") for at_s in range(10)]
    assert samples.summary(counted, window, 1.0) is None
    assert samples.energy(counted, window, 5) is None


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
def test_constant_power_gives_its_joules_whatever_the_times(
    power_w, interval_s, start_s, length_s, steps
):
    times = [interval_s * number for number in range(int(30 / interval_s))]
    counted = [sample(at_s, joules=5 + power_w * at_s, counter="nvml") for at_s in times]
    window = (round(start_s * S), round((start_s + length_s) * S))
    found = samples.energy(counted, window, steps)
    assert found["joules_per_step"] == pytest.approx(power_w * length_s / steps, rel=1e-6)
    assert found["counter"] == "nvml"


def test_energy_is_that_of_the_window_and_not_of_the_compilation_before_it():
    # 10 W until second 10, then 110 W: the window begins between two samples.
    counted = [
        sample(at_s, joules=10 * at_s + 100 * max(0, at_s - 10), counter="rapl")
        for at_s in range(40)
    ]
    assert samples.energy(counted, (round(10.5 * S), round(30.5 * S)), 20)[
        "joules_per_step"
    ] == pytest.approx(110)


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


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{content}\n")


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
    rapl = sampler.Rapl(tmp_path)
    write(second, 500_000)
    assert rapl.joules() == pytest.approx(0.5)
    write(first, 1_000_000)
    assert rapl.joules() == pytest.approx(2.5)


def test_throttle_events_are_those_of_the_runs_processors(tmp_path):
    for number, events in enumerate((3, 40, 500)):
        folder = tmp_path / f"devices/system/cpu/cpu{number}/thermal_throttle"
        write(folder / "core_throttle_count", events)
        write(folder / "package_throttle_count", 1)
    seen = sampler.Sampler([1, 2], "cpu", tmp_path).sample()
    assert seen["throttle_events"] == 40 + 500 + 2
    assert seen["joules"] is None


class FakeNvml:
    """What of NVML's bindings is used, over one GPU."""

    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    def __init__(self, running=(), trouble=None):
        self.running, self.trouble, self.asked_for = running, trouble, None

    def nvmlInit(self):
        if self.trouble == "no driver":
            raise RuntimeError("NVML Shared Library Not Found")

    def nvmlDeviceGetHandleByIndex(self, index):
        self.asked_for = index
        return "gpu"

    def nvmlDeviceGetHandleByUUID(self, uuid):
        self.asked_for = uuid
        return "gpu"

    def nvmlDeviceGetClockInfo(self, device, clock):
        return {1: 1410, 2: 1215}[clock]

    def nvmlDeviceGetTemperature(self, device, sensor):
        return 61

    def nvmlDeviceGetPowerUsage(self, device):
        return 312_500

    def nvmlDeviceGetUtilizationRates(self, device):
        return SimpleNamespace(gpu=97, memory=40)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, device):
        return 0x1 | 0x4 | 0x40

    def nvmlDeviceGetComputeRunningProcesses(self, device):
        return [SimpleNamespace(pid=pid) for pid in self.running]

    def nvmlDeviceGetTotalEnergyConsumption(self, device):
        if self.trouble == "no counter":
            raise RuntimeError("Not Supported")
        return 1_234_500


@pytest.fixture
def nvml(monkeypatch):
    def loaded(**options):
        fake = FakeNvml(**options)
        monkeypatch.setitem(sys.modules, "pynvml", fake)
        return fake

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return loaded


def test_the_readings_of_a_gpu(nvml):
    nvml()
    seen = sampler.Sampler([0], "cuda").sample()
    assert (seen["joules"], seen["counter"]) == (1234.5, "nvml")
    assert seen["gpu"] == {
        "sm_clock_mhz": 1410,
        "memory_clock_mhz": 1215,
        "temperature_c": 61,
        "power_w": 312.5,
        "utilization_percent": 97,
        "throttle_reasons": ["power cap", "thermal slowdown by hardware"],
        "foreign_processes": 0,
    }


@pytest.mark.parametrize(("visible", "asked_for"), [("1,0", 1), ("GPU-abc", "GPU-abc")])
def test_the_gpu_is_the_one_that_the_run_sees(nvml, monkeypatch, visible, asked_for):
    fake = nvml()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    sampler.Gpu()
    assert fake.asked_for == asked_for


def test_foreign_processes_are_counted_with_and_without_our_numbering(nvml, monkeypatch):
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(os, "getppid", os.getpid)  # this test plays the supervisor
    try:
        nvml(running=[sleeper.pid, 1])
        assert sampler.Gpu().reading()["foreign_processes"] == 1
        nvml(running=[999_999_999, 999_999_998])  # a container: none looks like ours
        assert sampler.Gpu().reading()["foreign_processes"] == 1
        nvml(running=[])
        assert sampler.Gpu().reading()["foreign_processes"] == 0
    finally:
        sleeper.kill()
        sleeper.wait()


def test_a_gpu_without_driver_or_counter_costs_its_readings_alone(nvml, capsys):
    nvml(trouble="no driver")
    seen = sampler.Sampler([0], "cuda").sample()
    assert (seen["gpu"], seen["joules"], seen["counter"]) == (None, None, None)
    assert capsys.readouterr().err == ("the GPU is not sampled: NVML Shared Library Not Found\n")
    nvml(trouble="no counter")
    seen = sampler.Sampler([0], "cuda").sample()
    assert seen["gpu"]["power_w"] == 312.5
    assert seen["joules"] is None


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
    with Monitor(sys.executable, [0], "cuda", 0.05) as monitor:
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
        monkeypatch.setattr("measure.monitor.STOP_S", 0.3)
        with Monitor(sys.executable, [0], "cpu", 0.05) as monitor:
            time.sleep(0.4)
            os.kill(monitor.pid, fault)
        assert monitor.samples == []
    assert capfd.readouterr().err.count("    monitor: ") == 2


def test_a_monitor_never_outlives_its_supervisor(tmp_path):
    program = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "workflow")!r})
from measure.monitor import Monitor
monitor = Monitor({sys.executable!r}, [0], "cpu", 0.05)
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


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor: nothing is free")
def test_the_sampler_keeps_off_the_processors_of_the_run():
    available = sorted(os.sched_getaffinity(0))
    with Monitor(sys.executable, available[1:], "cpu", 0.05) as monitor:
        time.sleep(0.5)
        assert os.sched_getaffinity(monitor.pid) == {available[0]}
        assert os.getpriority(os.PRIO_PROCESS, monitor.pid) == 19
