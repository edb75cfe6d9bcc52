"""The CPUs that runs are pinned to, and the CPUs of the processes that watch the runs.

Two CPUs of one physical core share its arithmetic units, so the second one adds little speed and
much variability. A run gets one CPU of each core first, and those of small cores (E-cores) last.
Cores are read from Linux' sysfs; on other systems every CPU counts as a core of its own.
"""

import os
from pathlib import Path

from millistep.supervise import machine

TOPOLOGY = Path("/sys/devices/system/cpu")
SMALL = Path("/sys/devices/cpu_atom/cpus")  # of a processor with cores of two kinds, as 8-15
ROOT = Path("/")  # of the system
FEW_CORES = 2  # with so few, users do not leave one idle


def available() -> list[int]:
    """Return the CPUs that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cores(topology: Path = TOPOLOGY) -> list[list[int]]:
    """Return the available CPUs by physical core, both in ascending order."""
    groups: dict[str, list[int]] = {}
    for processor in available():
        # The same text for all CPUs of one core.
        siblings = machine.text(topology / f"cpu{processor}/topology/thread_siblings_list")
        groups.setdefault(siblings or str(processor), []).append(processor)
    return list(groups.values())


def physical(topology: Path = TOPOLOGY, root: Path = ROOT) -> int:
    """Return one thread per physical core, limited by a container's quota of CPU time."""
    return within_the_quota(len(cores(topology)), root)


def auto(topology: Path = TOPOLOGY, root: Path = ROOT) -> int:
    """Return the number of threads of a run: one per physical core, limited by a quota of CPU time.
    Of more than two cores, one is left to the system and to the monitor.
    """
    count = len(cores(topology))
    return within_the_quota(count if count <= FEW_CORES else count - 1, root)


def pinned(threads: int, topology: Path = TOPOLOGY, small: Path = SMALL) -> list[int]:
    """Return a run's CPUs: one of each core first, and the last cores first, because the first ones
    serve interrupts. small: the file that lists the CPUs of small cores, which are taken last.
    """
    ranges = [part.split("-") for part in machine.text(small).split(",") if part]
    listed = {number for ends in ranges for number in range(int(ends[0]), int(ends[-1]) + 1)}
    by_core = sorted(cores(topology), key=lambda core: core[0] not in listed)
    deepest = max(map(len, by_core))
    order = [core[n] for n in range(deepest) for core in reversed(by_core) if len(core) > n]
    return sorted(order[:threads])


def beside(processors: list[int], topology: Path = TOPOLOGY) -> list[int]:
    """Return CPUs for processes that watch a run: those of idle cores, else idle ones, else all."""
    taken = set(processors)
    idle_cores = [p for core in cores(topology) if not taken & set(core) for p in core]
    return idle_cores or sorted(set(available()) - taken) or available()


def within_the_quota(threads: int, root: Path = ROOT) -> int:
    """Return a number of threads, or fewer if a container's quota of CPU time is smaller."""
    quota = machine.processor_time(root)
    return max(1, threads if quota is None else min(threads, int(quota)))
