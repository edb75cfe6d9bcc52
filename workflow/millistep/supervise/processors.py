"""The CPUs that runs are pinned to, and the CPUs of the processes that watch the runs.

Two CPUs of one physical core share its arithmetic units, so the second one adds little speed and
much variability. A run gets one CPU of each core first, and those of small cores (E-cores) last.
Cores are read from Linux' sysfs; on other systems every CPU counts as a core of its own.
"""

import contextlib
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
        groups.setdefault(_siblings(topology, processor), []).append(processor)
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
    listed = _listed(small)
    by_core = sorted(cores(topology), key=lambda core: core[0] not in listed)
    deepest = max(map(len, by_core))
    order = [
        core[level] for level in range(deepest) for core in reversed(by_core) if len(core) > level
    ]
    return sorted(order[:threads])


def beside(processors: list[int], topology: Path = TOPOLOGY) -> list[int]:
    """Return CPUs for processes that watch a run: those of idle cores, else idle ones, else all."""
    taken = set(processors)
    idle_cores = [p for core in cores(topology) if not taken & set(core) for p in core]
    return idle_cores or sorted(set(available()) - taken) or available()


def _listed(path: Path) -> set[int]:
    """Return the numbers in the kernel's list, such as '0-3,8'; none without a file."""
    try:
        ranges = [part.split("-") for part in path.read_text().strip().split(",") if part]
    except OSError:
        return set()
    return {number for ends in ranges for number in range(int(ends[0]), int(ends[-1]) + 1)}


def _siblings(topology: Path, processor: int) -> str:
    """Return a text that is equal for all CPUs of one core."""
    path = topology / f"cpu{processor}" / "topology" / "thread_siblings_list"
    with contextlib.suppress(OSError):
        return path.read_text().strip()
    return str(processor)


def within_the_quota(threads: int, root: Path = ROOT) -> int:
    """Return a number of threads, or fewer if a container's quota of CPU time is smaller."""
    quota = machine.processor_time(root)
    return max(1, threads if quota is None else min(threads, int(quota)))
