"""Memory of a command and of all processes that it starts, with shared memory counted once."""

import subprocess

import psutil

EVERY_S = 0.25
BYTES_PER_MIB = 2**20


def peak_mib(process):
    """Return the largest memory seen until the process ended: proportional set sizes, summed over
    its tree.
    """
    peak, root = 0.0, psutil.Process(process.pid)
    while True:
        try:
            process.wait(EVERY_S)
            return peak
        except subprocess.TimeoutExpired:
            peak = max(peak, sum(map(pss_mib, [root, *root.children(recursive=True)])))


def pss_mib(process):
    """Return a process' share of the memory that it sees; 0 if it has ended."""
    try:
        return process.memory_full_info().pss / BYTES_PER_MIB
    except psutil.Error:
        return 0.0
