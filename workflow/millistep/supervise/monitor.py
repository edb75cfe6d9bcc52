"""The monitor: samples the machine in a thread of the supervisor while a run is measured.

A run is worth more than its monitor: readings that fail are None, and the run goes on."""

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import psutil

from millistep.supervise.device import tried
from millistep.supervise.machine import load_average, swapped_mib
from millistep.supervise.processors import beside

MARK = "MILLISTEP_SCRATCH"  # a variable of every measured process
SYSTEM = Path("/sys")
STOP_S = 5.0  # a driver may hang in a reading
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


class Rapl:
    """Energy counters of the processor packages; raises OSError if this user may not read them."""

    name = "rapl"

    def __init__(self, system: Path) -> None:
        domains = sorted(system.glob("class/powercap/intel-rapl:*"))
        # Without the parts of a package (intel-rapl:0:1), which it counts, too.
        self._packages = [
            domain for domain in domains if (domain / "name").read_text().startswith("package")
        ]
        if not self._packages:
            raise FileNotFoundError("no energy counter of a processor package")
        self._wraps_at = self._read("max_energy_range_uj")
        self._last, self._microjoules = self._read("energy_uj"), 0

    def joules(self) -> float:
        """Return the joules since this object was made."""
        counts = self._read("energy_uj")
        for count, last, wraps_at in zip(counts, self._last, self._wraps_at, strict=True):
            self._microjoules += count - last if count >= last else count + wraps_at - last
        self._last = counts
        return self._microjoules / 1e6

    def _read(self, name: str) -> list[int]:
        return [int((package / name).read_text()) for package in self._packages]


class Gpu:
    """The GPU that a run sees, through NVML.

    name: its UUID, that of a MIG instance, or its number. ``part``: the instance or GPU of the run.
    ``device``: the whole GPU, which alone has clocks, power and temperature.
    """

    name = "nvml"

    def __init__(self, name: str) -> None:
        import pynvml as nvml

        nvml.nvmlInit()
        by_index, by_uuid = nvml.nvmlDeviceGetHandleByIndex, nvml.nvmlDeviceGetHandleByUUID
        self.part = by_index(int(name)) if name.isdecimal() else by_uuid(name)
        self.nvml, self.device, self.is_part = nvml, self.part, name.startswith("MIG-")
        if self.is_part:
            self.device = nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self.part)

    def joules(self) -> float | None:
        """Return the joules since the driver was loaded; None for an instance."""
        return None if self.is_part else float(self.get("TotalEnergyConsumption")) / 1e3

    def get(self, name: str, *more: Any) -> Any:
        """Return the answer of ``nvmlDeviceGet<name>`` about the whole GPU."""
        return getattr(self.nvml, f"nvmlDeviceGet{name}")(self.device, *more)

    def reading(self) -> dict[str, Any]:
        """Return all readings; those that this GPU does not offer are None."""
        nvml, get = self.nvml, self.get
        others, held_mib = tried(self._processes) or (None, None)
        slowed = tried(get, "CurrentClocksThrottleReasons")
        reasons = [word for bit, word in SLOWED_BY.items() if (slowed or 0) & bit]
        return {
            "sm_clock_mhz": tried(get, "ClockInfo", nvml.NVML_CLOCK_SM),
            "memory_clock_mhz": tried(get, "ClockInfo", nvml.NVML_CLOCK_MEM),
            "temperature_c": tried(get, "Temperature", nvml.NVML_TEMPERATURE_GPU),
            "power_w": tried(lambda: get("PowerUsage") / 1e3),
            "utilization_percent": tried(lambda: get("UtilizationRates").gpu),
            "throttle_reasons": None if slowed is None else reasons,
            "foreign_processes": others,
            "process_memory_mib": held_mib,
            "free_memory_mib": tried(lambda: nvml.nvmlDeviceGetMemoryInfo(self.part).free / 2**20),
        }

    def _processes(self) -> tuple[int | None, float | None]:
        """Return the number of others' processes on the GPU, and the MiB that the run's hold there.

        Other processes of Millistep are stopped while this run computes. In a container NVML may
        number processes as the host does: a single one is ours then, of several nothing is known.
        """
        running = self.nvml.nvmlDeviceGetComputeRunningProcesses(self.part)
        run = {process.pid for process in psutil.Process().children(recursive=True)}
        own = [process for process in running if process.pid in run]
        foreign: int | None = sum(not tried(_measures, process.pid) for process in running)
        if foreign and not any(psutil.pid_exists(process.pid) for process in running):
            own, foreign = (running, 0) if len(running) == 1 else ([], None)
        held = [process.usedGpuMemory for process in own]
        return foreign, None if not held or None in held else sum(held) / 2**20


def _measures(pid: int) -> bool:
    return MARK in psutil.Process(pid).environ()


class Monitor:
    """Samples the machine while the ``with`` block runs; ``samples`` holds the readings.

    processors: those of the run; the monitor uses other ones if there are any.
    gpu: as the run sees it, see :func:`supervise.device.word`; None: no GPU is sampled.
    """

    def __init__(
        self, processors: Sequence[int], gpu: str | None, interval_s: float, system: Path = SYSTEM
    ) -> None:
        self.samples: list[dict[str, Any]] = []
        self._processors, self._interval_s = list(processors), interval_s
        self._gpu = None if gpu is None else tried(Gpu, gpu)
        self._rapl = tried(Rapl, system) if gpu is None else None
        cpus = [system / f"devices/system/cpu/cpu{number}" for number in processors]
        self._throttle_counts = [
            count for cpu in cpus for count in cpu.glob("thermal_throttle/*_throttle_count")
        ]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join(STOP_S)

    def _run(self) -> None:
        if hasattr(os, "sched_setaffinity"):  # Linux, where both are a thread's own
            os.sched_setaffinity(0, beside(self._processors))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while not self._stop.wait(self._interval_s):
            self.samples.append(self.sample())

    def sample(self) -> dict[str, Any]:
        """Return one reading of everything; None for what the machine does not offer."""
        counter = self._gpu or self._rapl
        throttled = tried(lambda: [int(path.read_text()) for path in self._throttle_counts])
        return {
            "at_ns": time.perf_counter_ns(),  # the same clock in every process
            "joules": tried(counter.joules) if counter else None,
            "counter": counter.name if counter else None,
            "load": tried(load_average),
            "frequency_mhz": tried(self._frequency_mhz),
            "throttle_events": sum(throttled) if throttled else None,
            "swapped_mib": tried(swapped_mib),
            "gpu": tried(self._gpu.reading) if self._gpu else None,
        }

    def _frequency_mhz(self) -> float | None:
        """Return the mean frequency of the run's CPUs, of all if these are unknown."""
        found = [frequency.current for frequency in psutil.cpu_freq(percpu=True)]
        ours = [found[number] for number in self._processors if number < len(found)] or found
        return sum(ours) / len(ours) or None
