"""What the processes on a simulated machine did, from the files that they leave (``src/log.c``)."""

import struct
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

COUNTS = struct.Struct("=q6Q8Q8Q8q8q")
KERNEL = struct.Struct("=240sQq")
FENCE = struct.Struct("=qQq")
KERNELS_AT, MOST_KERNELS = 4096, 8192
FENCES_AT, MOST_FENCES = KERNELS_AT + MOST_KERNELS * KERNEL.size, 65536


@dataclass(frozen=True)
class Fence:
    """The host waited for the device, until ``at_ns`` of the clock that Python's perf_counter has.

    launches, busy_ns: of the process so far.
    """

    at_ns: int
    launches: int
    busy_ns: int


@dataclass(frozen=True)
class Process:
    """One process: how often it launched which kernel, and when it waited."""

    pid: int
    launches: int
    copies: int
    memsets: int
    graph_launches: int
    peak_mib: list[float]  # of each GPU of the machine
    kernels: dict[str, int]
    fences: list[Fence]

    def launches_between_fences(self) -> Counter[int]:
        """How often how many launches were made from one fence to the next."""
        return Counter(b.launches - a.launches for a, b in pairwise(self.fences))


def processes(folder: Path) -> list[Process]:
    """Those that used a device, in the order of their first files."""
    files = sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    return [process for path in files if (process := read(path)).launches]


def read(path: Path) -> Process:
    with open(path, "rb") as file:
        numbers = COUNTS.unpack(file.read(COUNTS.size))
        pid, launches, copies, memsets, graphs, n_fences, n_kernels = numbers[:7]
        peak_mib = [number / 2**20 for number in numbers[15:23]]
        file.seek(KERNELS_AT)
        kernels = KERNEL.iter_unpack(file.read(min(n_kernels, MOST_KERNELS) * KERNEL.size))
        counted = {name.rstrip(b"\0").decode(): count for name, count, _ in kernels}
        file.seek(FENCES_AT)
        fences = FENCE.iter_unpack(file.read(min(n_fences, MOST_FENCES) * FENCE.size))
        return Process(
            pid, launches, copies, memsets, graphs, peak_mib, counted, [Fence(*f) for f in fences]
        )


def launches_per_step(process: Process, blocks: list[dict]) -> float | None:
    """Launches of one step of a run, None where blocks differ or are not found.

    blocks: of the record, each with its steps and the time between its two fences, by which they
    are found among the fences.
    """
    pairs = list(pairwise(process.fences))
    for first in range(len(pairs) - len(blocks) + 1):
        here = list(zip(pairs[first:], blocks, strict=False))
        if all(_lasted(pair, block["elapsed_ns"]) for pair, block in here):
            rates = {(b.launches - a.launches) / block["steps"] for (a, b), block in here}
            return rates.pop() if len(rates) == 1 else None
    return None


def _lasted(pair: tuple[Fence, Fence], elapsed_ns: float) -> bool:
    return abs(pair[1].at_ns - pair[0].at_ns - elapsed_ns) < 0.01 * elapsed_ns + 2e6
