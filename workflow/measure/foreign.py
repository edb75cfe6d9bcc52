"""Processor time that went to everything but this run, on the processors that it may use.

Work on the other processors does not count: this run could not have used their time. The run is the
session that its supervisor has started: inductor compiles in processes that are not waited for.
"""

import contextlib
import os
import time
from pathlib import Path

LEAST_S = 1.0  # of timed steps: the system counts in hundredths of a second


def other_cpu_seconds() -> float | None:
    """Processor seconds of everything but this run since the machine started."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/stat").read_text().splitlines()
        used = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        counted = [fields for line in lines if (fields := line.split()) and fields[0] in used]
        # user nice system idle iowait irq softirq steal; steal is the host's doing, and counts.
        busy = sum(int(fields[1 + i]) for fields in counted for i in (0, 1, 2, 5, 6, 7))
        return (busy - _own()) / os.sysconf("SC_CLK_TCK")
    return None


def _own() -> int:
    """The system's ticks of this session: of its processes, and of those that they waited for."""
    session, own = str(os.getsid(0)), 0
    for process in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = process.read_text().rpartition(")")[2].split()  # a name may hold spaces
            if fields[3] == session:
                own += sum(map(int, fields[11:15]))
    return own


class Others:
    """Readings before the first step, which is now, before the timed ones and after the last."""

    def __init__(self) -> None:
        self._readings: list[tuple[float, float | None]] = []
        self.read()

    def read(self) -> None:
        """Take a reading."""
        self._readings.append((time.perf_counter(), other_cpu_seconds()))

    def share(self) -> float | None:
        """Share of these processors' time that other processes took in the timed steps; in all
        steps, compiling among them, where these take less than LEAST_S or none were timed.
        """
        *starts, (end_s, after) = self._readings
        long = [start for start in starts if end_s - start[0] >= LEAST_S]
        start_s, before = long[-1] if long else starts[0]
        wall_s = end_s - start_s
        if before is None or after is None or wall_s <= 0:
            return None
        return max(0.0, (after - before) / (wall_s * len(os.sched_getaffinity(0))))
