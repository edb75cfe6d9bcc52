"""The host memory that a run may use, found where it is measured."""

from supervise import machine

SHARE = 0.9  # of the memory there is: the processes that watch the run need some, too


def limit_mib(asked: str) -> int:
    """MiB of an amount in GiB; ``auto``: 90 % of the machine's memory, or of the job's if less."""
    if asked != "auto":
        return int(float(asked) * 1024)
    return int(SHARE * machine.memory_mib_total())
