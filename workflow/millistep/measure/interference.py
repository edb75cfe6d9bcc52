"""Interference with a run while steps are timed: by other processes, the kernel, a quota.

Work of others counts on the CPUs that the run may use. The run is the session that its supervisor
has started: inductor compiles in processes that are not waited for. An interval lasts as long as a
``with`` statement.
"""

import contextlib
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

LEAST_S = 1.0  # the system counts in hundredths of a second
LEAST_INTERVAL_S = 0.1  # of a single interval, in which a share of 10 % is just above the noise


def other_cpu_seconds() -> float | None:
    """Return CPU seconds of everything except this run since the machine started."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/stat").read_text().splitlines()
        used = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        counted = [fields for line in lines if (fields := line.split()) and fields[0] in used]
        # user nice system idle iowait irq softirq steal; steal is the host's doing, and counts.
        busy = sum(int(fields[1 + i]) for fields in counted for i in (0, 1, 2, 5, 6, 7))
        return (busy - _own()) / os.sysconf("SC_CLK_TCK")
    return None


def _own() -> int:
    """Return the system's ticks of this session, of ended processes too."""
    session, own = str(os.getsid(0)), 0
    for process in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = process.read_text().rpartition(")")[2].split()  # a name may hold spaces
            if fields[3] == session:
                own += sum(map(int, fields[11:15]))
    return own


class Others:
    """CPU time that other processes took in several intervals."""

    def __init__(self) -> None:
        self._intervals: list[tuple[float, float | None]] = []  # s, and s of others if known

    def __enter__(self) -> None:
        before = other_cpu_seconds()
        self._start = time.perf_counter(), before

    def __exit__(self, *_: object) -> None:
        ended_s = time.perf_counter()
        start_s, before = self._start
        after = other_cpu_seconds()
        foreign_s = None if before is None or after is None else after - before
        self._intervals.append((ended_s - start_s, foreign_s))

    @property
    def latest(self) -> float | None:
        """Share of these CPUs' time in the last interval; None if unknown or too short to count."""
        return _share(self._intervals[-1:], LEAST_INTERVAL_S)

    def share(self) -> float | None:
        """Return the share of these CPUs' time; None if unknown or too short to count."""
        return _share(self._intervals, LEAST_S)


def _share(intervals: Sequence[tuple[float, float | None]], least_s: float) -> float | None:
    wall_s = sum(seconds for seconds, _ in intervals)
    known = [foreign_s for _, foreign_s in intervals if foreign_s is not None]
    if wall_s < least_s or len(known) < len(intervals):
        return None
    return max(0.0, sum(known) / (wall_s * len(os.sched_getaffinity(0))))


class Kernel:
    """System time and page faults of this process, added up over several intervals."""

    def __init__(self) -> None:
        self._system_s, self._faults = 0.0, 0

    def __enter__(self) -> None:
        self._start = resource.getrusage(resource.RUSAGE_SELF)

    def __exit__(self, *_: object) -> None:
        after = resource.getrusage(resource.RUSAGE_SELF)
        self._system_s += after.ru_stime - self._start.ru_stime
        self._faults += after.ru_minflt - self._start.ru_minflt

    def found(self, steps: int, elapsed_ns: int, threads: int) -> dict[str, float | None]:
        """Return entries of a record's ``load``: the kernel's share of the threads' time, and the
        pages that a step was the first to touch since they were mapped.
        """
        if not steps:
            return {"system_cpu_share": None, "page_faults_per_step": None}
        return {
            "system_cpu_share": self._system_s / (elapsed_ns / 1e9 * threads),
            "page_faults_per_step": self._faults / steps,
        }


class Quota:
    """Counts the periods of control groups, added up over several intervals.

    files: ``cpu.stat`` of each group with a quota. The group that was stopped most often counts.
    """

    def __init__(self, files: Sequence[str]) -> None:
        self._sums = {Path(file): [0, 0] for file in files}

    def __enter__(self) -> None:
        self._start = {file: _counted(file) for file in self._sums}

    def __exit__(self, *_: object) -> None:
        for file, sums in self._sums.items():
            before, after = self._start[file], _counted(file)
            if before and after:
                sums[0] += after[0] - before[0]
                sums[1] += after[1] - before[1]

    def found(self) -> dict[str, int | None]:
        """Return entries of a record's ``load``; None without a quota."""
        sums = self._sums.values()
        periods, throttled = max(sums, key=lambda counts: counts[1], default=(None, None))
        return {"quota_periods": periods, "quota_throttled_periods": throttled}


def _counted(file: Path) -> tuple[int, int] | None:
    """Return the periods so far, and in how many of them the group was stopped."""
    try:
        lines = dict(line.split(maxsplit=1) for line in file.read_text().splitlines())
        return int(lines["nr_periods"]), int(lines["nr_throttled"])
    except (OSError, ValueError, KeyError):
        return None
