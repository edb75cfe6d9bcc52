"""Samples of the machine beside a run, taken in a process of its own.

    python3 -I sampler.py '{"interval_s": 1.0, "processors": [1], "own": [0], "gpu": null}'

Runs on the interpreter of the workflow, which has psutil and NVML's bindings. Ends when standard
input is closed, by the supervisor or by its death; the samples are printed only then, so that
taking one costs no more than its readings.
"""

import contextlib
import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

try:
    import psutil
except ImportError:  # the machine's card uses Gpu from here, also without psutil
    psutil = None

STANDARD_INPUT = 0

# NVML's bits of reasons for slower clocks; an idle GPU (bit 0) is left out.
SLOWED_BY = {
    0x2: "clocks set by the user",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "thermal slowdown by software",
    0x40: "thermal slowdown by hardware",
    0x80: "power brake",
    0x100: "display clocks",
}


def main() -> None:
    wanted = json.loads(sys.argv[1])
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setaffinity(0, wanted["own"])
    with contextlib.suppress(OSError):
        os.nice(19)
    sampler = Sampler(wanted["processors"], wanted["gpu"])
    samples = []
    while not select.select([STANDARD_INPUT], [], [], wanted["interval_s"])[0]:
        samples.append(sampler.sample())
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(samples), flush=True)


class Sampler:
    """Takes samples of the machine; readings that it does not offer are None.

    processors: those that the run is pinned to. gpu: the one that the run sees, by UUID or number;
    None for a run on the processors.
    """

    def __init__(self, processors: list[int], gpu: str | None, system: Path = Path("/sys")) -> None:
        self._processors = processors
        self._gpu = None if gpu is None else gpu_or_words(gpu)
        self._rapl = tried(Rapl, system) if gpu is None else None
        cpus = [system / f"devices/system/cpu/cpu{number}" for number in processors]
        self._throttle_counts = [
            count for cpu in cpus for count in cpu.glob("thermal_throttle/*_throttle_count")
        ]

    def sample(self) -> dict:
        """One reading of everything, with the time in ns on the run's clock."""
        gpu = tried(self._gpu.reading) if self._gpu else None
        counter = self._gpu or self._rapl
        return {
            "at_ns": time.perf_counter_ns(),  # the same clock in every process
            "joules": tried(counter.joules) if counter else None,
            "counter": counter.name if counter else None,
            "load": tried(lambda: os.getloadavg()[0]),
            "frequency_mhz": tried(self._frequency_mhz),
            "throttle_events": tried(self._throttle_events),
            "swapped_mib": tried(self._swapped_mib),
            "gpu": gpu,
        }

    def _frequency_mhz(self) -> float | None:
        """Mean frequency of the run's processors, of all if these are unknown; None if it is 0."""
        found = [frequency.current for frequency in psutil.cpu_freq(percpu=True)]
        ours = [found[number] for number in self._processors if number < len(found)] or found
        return sum(ours) / len(ours) or None

    def _throttle_events(self) -> int | None:
        if not self._throttle_counts:
            return None
        return sum(int(path.read_text()) for path in self._throttle_counts)

    def _swapped_mib(self) -> float:
        swap = psutil.swap_memory()
        return (swap.sin + swap.sout) / 2**20


class Rapl:
    """Energy counters of the processor packages; raises OSError if this user may not read them."""

    name = "rapl"

    def __init__(self, system: Path = Path("/sys")) -> None:
        domains = sorted(system.glob("class/powercap/intel-rapl:*"))
        # Without the parts of a package (intel-rapl:0:1), which it counts, too.
        self._packages = [
            domain for domain in domains if (domain / "name").read_text().startswith("package")
        ]
        if not self._packages:
            raise FileNotFoundError("no energy counter of a processor package")
        self._wraps_at = [_number(package / "max_energy_range_uj") for package in self._packages]
        self._last = self._counts()
        self._microjoules = 0

    def joules(self) -> float:
        """Energy in joules since this object was made."""
        counts = self._counts()
        for count, last, wraps_at in zip(counts, self._last, self._wraps_at, strict=True):
            self._microjoules += count - last if count >= last else count + wraps_at - last
        self._last = counts
        return self._microjoules / 1e6

    def _counts(self) -> list[int]:
        return [_number(package / "energy_uj") for package in self._packages]


class Gpu:
    """The GPU that a run sees, through NVML.

    name: its UUID, that of a MIG instance, or its number. ``part``: the instance or GPU of the run.
    ``device``: the whole GPU; only that has clocks, power and temperature.
    """

    name = "nvml"

    def __init__(self, name: str) -> None:
        import pynvml

        self.nvml = pynvml
        pynvml.nvmlInit()
        if name.isdecimal():
            self.part = pynvml.nvmlDeviceGetHandleByIndex(int(name))
        else:
            self.part = pynvml.nvmlDeviceGetHandleByUUID(name)
        self.is_part = name.startswith("MIG-")
        self.device = self.part
        if self.is_part:
            self.device = pynvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self.part)

    def joules(self) -> float | None:
        """Joules since the driver was loaded; None for an instance, which has no counter."""
        if self.is_part:
            return None
        return self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device) / 1e3

    def reading(self) -> dict:
        """Clocks, temperature, power, reasons for slower clocks, other processes, memory.

        Readings that this GPU does not offer (a divided one has no utilisation) are None.
        """
        nvml, device = self.nvml, self.device
        others, held_mib = tried(self._processes) or (None, None)
        return {
            "sm_clock_mhz": tried(nvml.nvmlDeviceGetClockInfo, device, nvml.NVML_CLOCK_SM),
            "memory_clock_mhz": tried(nvml.nvmlDeviceGetClockInfo, device, nvml.NVML_CLOCK_MEM),
            "temperature_c": tried(
                nvml.nvmlDeviceGetTemperature, device, nvml.NVML_TEMPERATURE_GPU
            ),
            "power_w": tried(lambda: nvml.nvmlDeviceGetPowerUsage(device) / 1e3),
            "utilization_percent": tried(lambda: nvml.nvmlDeviceGetUtilizationRates(device).gpu),
            "throttle_reasons": tried(self._throttle_reasons),
            "foreign_processes": others,
            "process_memory_mib": held_mib,
            "free_memory_mib": tried(self._free_memory_mib),
        }

    def _throttle_reasons(self) -> list[str]:
        slowed = self.nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self.device)
        return [word for bit, word in SLOWED_BY.items() if slowed & bit]

    def _processes(self) -> tuple[int, float | None]:
        """The number of processes with a context on the device that are not of this run, and MiB of
        device memory that the run's hold, with pools, contexts and kernels.

        In a container NVML may number processes as the host does, so that none looks like ours;
        during the timed steps one of them is: a single one, of several nobody can tell which. The
        MiB are None then, and where the driver does not tell.
        """
        running = self.nvml.nvmlDeviceGetComputeRunningProcesses(self.part)
        run = {p.pid for p in psutil.Process(os.getppid()).children(recursive=True)}
        own = [process for process in running if process.pid in run]
        if not own and len(running) == 1:
            own = running
        held = [process.usedGpuMemory for process in own]
        held_mib = None if not held or None in held else sum(held) / 2**20
        return max(0, len(running) - max(1, len(own))), held_mib

    def _free_memory_mib(self) -> float:
        return self.nvml.nvmlDeviceGetMemoryInfo(self.part).free / 2**20


def gpu_or_words(name: str) -> Gpu | None:
    """The GPU; or None, and one line for the supervisor why it is not sampled."""
    try:
        return Gpu(name)
    except Exception as error:  # no bindings, no driver, no such device
        print(f"the GPU is not sampled: {error}", file=sys.stderr)
        return None


def tried(function: Any, *arguments: Any) -> Any:
    """The function's result, None if it fails, as on a machine that cannot tell."""
    try:
        return function(*arguments)
    except Exception:  # NVML, psutil and file systems each have their own errors
        return None


def _number(path: Path) -> int:
    return int(path.read_text())


if __name__ == "__main__":
    main()
