"""CPU time of all processes except this run, on the CPUs that the run may use.

Work on the other CPUs does not count: this run could not have used their time. The run is the
session that its supervisor has started: inductor compiles in processes that are not waited for.
"""

import contextlib
import os
import time
from pathlib import Path

LEAST_S = 1.0  # the system counts in hundredths of a second


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
    """Return the system's ticks of this session: of its processes, and of those that they waited
    for.
    """
    session, own = str(os.getsid(0)), 0
    for process in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = process.read_text().rpartition(")")[2].split()  # a name may hold spaces
            if fields[3] == session:
                own += sum(map(int, fields[11:15]))
    return own


class Others:
    """CPU time that other processes took, added up over several intervals."""

    def __init__(self) -> None:
        self._wall_s = self._foreign_s = 0.0
        self._known = True
        self._start: tuple[float, float | None] = (0.0, None)

    def begin(self) -> None:
        """Start an interval."""
        self._start = time.perf_counter(), other_cpu_seconds()

    def end(self) -> None:
        """End the interval."""
        start_s, before = self._start
        after = other_cpu_seconds()
        self._wall_s += time.perf_counter() - start_s
        if before is None or after is None:
            self._known = False
        else:
            self._foreign_s += after - before

    def share(self) -> float | None:
        """Return the share of these CPUs' time; None if unknown or too short to count."""
        if not self._known or self._wall_s < LEAST_S:
            return None
        return max(0.0, self._foreign_s / (self._wall_s * len(os.sched_getaffinity(0))))
