"""One sample: the counters of a made-up machine and of a made-up GPU."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from supervise import sampler


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
    seen = sampler.Sampler([1, 2], None, tmp_path).sample()
    assert seen["throttle_events"] == 40 + 500 + 2
    assert seen["joules"] is None


class FakeNvml:
    """What of NVML's bindings is used, over one GPU; divided: only the whole has clocks."""

    used = 5 * 2**30  # bytes of each process
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0
    part = "c7384736-a75d"

    def __init__(self, running=(), trouble=None, divided=False):
        self.running, self.trouble, self.asked_for = running, trouble, None
        self.divided = divided

    def nvmlInit(self):
        if self.trouble == "no driver":
            raise RuntimeError("NVML Shared Library Not Found")

    def nvmlDeviceGetHandleByIndex(self, index):
        self.asked_for = index
        return "gpu"

    def nvmlDeviceGetHandleByUUID(self, uuid):
        self.asked_for = uuid
        return "part" if self.divided else "gpu"

    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, device):
        assert device == "part"
        return "gpu"

    def nvmlDeviceGetClockInfo(self, device, clock):
        self.only_of_the_whole(device)
        return {1: 1410, 2: 1215}[clock]

    def nvmlDeviceGetTemperature(self, device, sensor):
        return 61

    def only_of_the_whole(self, device):
        if device != "gpu":
            raise RuntimeError("Not Supported")

    def nvmlDeviceGetPowerUsage(self, device):
        self.only_of_the_whole(device)
        return 312_500

    def nvmlDeviceGetUtilizationRates(self, device):
        if self.divided:
            raise RuntimeError("Not Supported")
        return SimpleNamespace(gpu=97, memory=40)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, device):
        return 0x1 | 0x4 | 0x40

    def nvmlDeviceGetComputeRunningProcesses(self, device):
        assert device == ("part" if self.divided else "gpu")
        return [SimpleNamespace(pid=pid, usedGpuMemory=self.used) for pid in self.running]

    def nvmlDeviceGetMemoryInfo(self, device):
        return SimpleNamespace(free=3 * 2**30)

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
    seen = sampler.Sampler([0], "GPU-abc").sample()
    assert (seen["joules"], seen["counter"]) == (1234.5, "nvml")
    assert seen["gpu"] == {
        "sm_clock_mhz": 1410,
        "memory_clock_mhz": 1215,
        "temperature_c": 61,
        "power_w": 312.5,
        "utilization_percent": 97,
        "throttle_reasons": ["power cap", "thermal slowdown by hardware"],
        "foreign_processes": 0,
        "process_memory_mib": None,
        "free_memory_mib": 3 * 1024.0,
    }


@pytest.mark.parametrize(("name", "asked_for"), [("1", 1), ("GPU-abc", "GPU-abc")])
def test_the_gpu_is_the_one_that_the_run_sees(nvml, monkeypatch, name, asked_for):
    fake = nvml()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")  # the caller's says nothing of the run's
    sampler.Gpu(name)
    assert fake.asked_for == asked_for


def test_an_instance_of_a_divided_gpu_has_no_joules_and_no_utilisation_of_its_own(nvml):
    seen = sampler.Sampler([0], f"MIG-{nvml(divided=True).part}").sample()
    assert seen["joules"] is None
    assert seen["gpu"]["utilization_percent"] is None
    assert (seen["gpu"]["sm_clock_mhz"], seen["gpu"]["power_w"]) == (1410, 312.5)
    assert seen["gpu"]["foreign_processes"] == 0


@pytest.fixture
def ours(monkeypatch):
    """The id of a process of the run; this test plays the supervisor."""
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(os, "getppid", os.getpid)
    yield sleeper.pid
    sleeper.kill()
    sleeper.wait()


def test_foreign_processes_and_memory_of_the_runs_own_with_and_without_our_numbering(
    nvml, ours, monkeypatch
):
    def seen(*running):
        nvml(running=running)
        reading = sampler.Gpu("0").reading()
        return reading["foreign_processes"], reading["process_memory_mib"]

    assert seen(ours, 1) == (1, 5 * 1024)
    # A container: none looks like ours; alone there, it is ours, and which of two nobody can tell.
    assert seen(999_999_999) == (0, 5 * 1024)
    assert seen(999_999_999, 999_999_998) == (1, None)
    assert seen() == (0, None)
    monkeypatch.setattr(FakeNvml, "used", None)  # a driver that does not say
    assert seen(ours) == (0, None)


def test_a_gpu_without_driver_or_counter_costs_its_readings_alone(nvml, capsys):
    nvml(trouble="no driver")
    seen = sampler.Sampler([0], "0").sample()
    assert (seen["gpu"], seen["joules"], seen["counter"]) == (None, None, None)
    assert capsys.readouterr().err == ("the GPU is not sampled: NVML Shared Library Not Found\n")
    nvml(trouble="no counter")
    seen = sampler.Sampler([0], "0").sample()
    assert seen["gpu"]["power_w"] == 312.5
    assert seen["joules"] is None
