"""Which processors runs are pinned to, and which are left to what watches them.

Two processors of one physical core share its arithmetic units, so that a second one
adds little and scatters much: a run gets one processor of each core first. Read from
Linux' sysfs; elsewhere every processor counts as a core of its own.
"""

import contextlib
import os
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")
QUOTA = Path("/sys/fs/cgroup/cpu.max")
FEW_CORES = 2  # with no more than these nobody leaves one idle


def available() -> list[int]:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cores(topology: Path = TOPOLOGY) -> list[list[int]]:
    """The available processors by physical core, both in ascending order."""
    groups: dict[str, list[int]] = {}
    for processor in available():
        groups.setdefault(_siblings(topology, processor), []).append(processor)
    return list(groups.values())


def physical(topology: Path = TOPOLOGY, quota: Path = QUOTA, shares: int = 1) -> int:
    """One thread per physical core, as far as a container's quota of processor time goes.

    shares: into how many the processors are divided; of one of them.
    """
    return max(1, int(min(len(cores(topology)) // shares, _quota(quota) / shares)))


def auto(topology: Path = TOPOLOGY, quota: Path = QUOTA, shares: int = 1) -> int:
    """Threads of a run unless the user names a number.

    One per physical core; where there are more than two, less one, which is left to the
    system and to the monitor. A container's quota of processor time is a limit, too. shares: see
    :func:`physical`.
    """
    count = len(cores(topology)) // shares
    threads = count if count <= FEW_CORES else count - 1
    return max(1, int(min(threads, _quota(quota) / shares)))


def pinned(threads: int, topology: Path = TOPOLOGY) -> list[int]:
    """Processors of a run: the last cores, since the first serve interrupts; one of each first."""
    by_core = cores(topology)
    deepest = max(map(len, by_core))
    order = [
        core[level] for level in range(deepest) for core in reversed(by_core) if len(core) > level
    ]
    return sorted(order[:threads])


def beside(processors: list[int], topology: Path = TOPOLOGY) -> list[int]:
    """Processors for what watches a run: of idle cores, else idle ones, else all."""
    taken = set(processors)
    idle_cores = [p for core in cores(topology) if not taken & set(core) for p in core]
    return idle_cores or sorted(set(available()) - taken) or available()


def _siblings(topology: Path, processor: int) -> str:
    """What is equal for the processors of one core."""
    path = topology / f"cpu{processor}" / "topology" / "thread_siblings_list"
    with contextlib.suppress(OSError):
        return path.read_text().strip()
    return str(processor)


def _quota(path: Path) -> float:
    """Processors' worth of time that a container may use: '200000 100000' is 2."""
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        allowed, period = path.read_text().split()
        return int(allowed) / int(period)
    return float("inf")
