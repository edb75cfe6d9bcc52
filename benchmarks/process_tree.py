"""Memory of a command and of all processes that it starts, with shared memory counted once."""

import subprocess
from pathlib import Path

EVERY_S = 0.25
KIB_PER_MIB = 1024


def peak_mib(process):
    """Largest memory seen until the process ended: proportional set sizes, summed over its tree."""
    peak = 0.0
    while True:
        try:
            process.wait(EVERY_S)
            return peak
        except subprocess.TimeoutExpired:
            peak = max(peak, sum(map(pss_mib, tree(process.pid))))


def tree(pid):
    """Ids of the process and of all below it."""
    yield pid
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in read(thread).split():
            yield from tree(int(child))


def pss_mib(pid):
    """A process' share of the memory that it sees; 0 if it has ended."""
    for line in read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / KIB_PER_MIB
    return 0.0


def read(path):
    try:
        return path.read_text()
    except OSError:
        return ""
