"""How much of the host's memory a run may use, where it is measured."""

import os

from supervise import cgroup

SHARE = 0.9  # of what there is: what watches the run needs some, too


def limit_mib(asked: str) -> int:
    """As asked in GiB; ``auto`` is 90 % of what this job may have, at most what the machine has."""
    if asked != "auto":
        return int(float(asked) * 1024)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return int(SHARE * min(total, cgroup.memory_limit_bytes() or total) / 2**20)
