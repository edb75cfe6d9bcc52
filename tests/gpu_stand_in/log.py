"""Reads what processes on a simulated machine did from their files (``src/log.c``)."""

import struct
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

COUNTS = struct.Struct("=3q7Q8Q8Q8q8q8q")
KERNEL = struct.Struct("=240sQq")
FENCE = struct.Struct("=q2Q2q")
KERNELS_AT, MOST_KERNELS = 4096, 8192
FENCES_AT, MOST_FENCES = KERNELS_AT + MOST_KERNELS * KERNEL.size, 65536


@dataclass(frozen=True)
class Fence:
    """The host saw that the device had nothing left to do, at ``at_ns`` of Python's perf_counter.

    launches, waits, busy_ns, idle_ns: so far; waits are calls in which the host waited for the
    device, and a device is idle while it has done all that the host has issued.
    """

    at_ns: int
    launches: int
    waits: int
    busy_ns: int
    idle_ns: int


@dataclass(frozen=True)
class Process:
    """One process: how often it launched which kernel, and when it waited."""

    launches: int
    graph_launches: int
    peak_mib: list[float]  # of each GPU of the machine
    kernels: dict[str, int]
    fences: list[Fence]


def processes(folder: Path) -> list[Process]:
    """The processes that used a device, in the order of their first files."""
    files = sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    return [process for path in files if (process := read(path)).launches]


def read(path: Path) -> Process:
    with open(path, "rb") as file:
        numbers = COUNTS.unpack(file.read(COUNTS.size))
        launches, _, _, graphs, _, n_fences, n_kernels = numbers[3:10]
        peak_mib = [number / 2**20 for number in numbers[18:26]]
        file.seek(KERNELS_AT)
        kernels = KERNEL.iter_unpack(file.read(min(n_kernels, MOST_KERNELS) * KERNEL.size))
        counted = {name.rstrip(b"\0").decode(): count for name, count, _ in kernels}
        file.seek(FENCES_AT)
        fences = FENCE.iter_unpack(file.read(min(n_fences, MOST_FENCES) * FENCE.size))
        return Process(launches, graphs, peak_mib, counted, [Fence(*each) for each in fences])


@dataclass(frozen=True)
class Step:
    """One step of a run as its device saw it: means over the run's timing windows.

    waits: calls in which the host waited for the device before the fence. idle_ms: in which the
    device had done all that the host had issued.
    """

    launches: float
    waits: float
    busy_ms: float
    idle_ms: float


def step_of(processes: list[Process], windows: list[dict], fence_waits: bool = True) -> Step:
    """The step of a run that one of these processes has made, in its timing windows.

    fence_waits: True if the fence is a call that waits; JAX's is woken by a function of the host.
    """
    ends_ns = [window["start_ns"] + window["elapsed_ns"] for window in windows]
    process = max(processes, key=lambda each: _last_border(each.fences, ends_ns[-1]).at_ns)
    steps = sum(window["steps"] for window in windows)
    launches = waits = busy_ns = idle_ns = 0
    for window, end_ns in zip(windows, ends_ns, strict=True):
        begin, end = (_last_border(process.fences, at) for at in (window["start_ns"], end_ns))
        launches += end.launches - begin.launches
        waits += end.waits - begin.waits - fence_waits
        busy_ns += end.busy_ns - begin.busy_ns
        # Since the border, the device has also waited for the window's begin.
        idle_ns += end.idle_ns - begin.idle_ns - (window["start_ns"] - begin.at_ns)
    return Step(launches / steps, waits / steps, busy_ns / steps / 1e6, idle_ns / steps / 1e6)


def _last_border(fences: list[Fence], before_ns: int) -> Fence:
    after = bisect_right(fences, before_ns, key=lambda fence: fence.at_ns)
    return fences[after - 1] if after else Fence(0, 0, 0, 0, 0)
