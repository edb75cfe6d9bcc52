"""Processor time that went to everything but this process, on the processors that it may use.

Work on the other processors does not count: this process could not have used their time.
"""

import contextlib
import os
from pathlib import Path


def other_cpu_seconds() -> float | None:
    """Processor seconds of everything but this process since the machine started."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/stat").read_text().splitlines()
        used = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        counted = [fields for line in lines if (fields := line.split()) and fields[0] in used]
        # user nice system idle iowait irq softirq steal; steal is the host's doing, and counts.
        busy = sum(int(fields[1 + i]) for fields in counted for i in (0, 1, 2, 5, 6, 7))
        own = sum(os.times()[:4])
        return busy / os.sysconf("SC_CLK_TCK") - own
    return None


def foreign_share(before: float | None, after: float | None, wall_s: float) -> float | None:
    """Share of these processors' time that other processes took, between two readings."""
    if before is None or after is None or wall_s <= 0:
        return None
    return max(0.0, (after - before) / (wall_s * len(os.sched_getaffinity(0))))
