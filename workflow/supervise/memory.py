"""The host memory that a run may use, found where it is measured."""

import os

from supervise import cgroup

SHARE = 0.9  # of the memory there is: the processes that watch the run need some, too


def limit_mib(asked: str) -> int:
    """MiB of an amount in GiB; ``auto``: 90 % of the machine's memory, or of the job's if less."""
    if asked != "auto":
        return int(float(asked) * 1024)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return int(SHARE * min(total, cgroup.memory_limit_bytes() or total) / 2**20)
