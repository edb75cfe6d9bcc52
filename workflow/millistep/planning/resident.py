"""How many processes of a workload are resident in memory at once, to be timed in turns."""

from __future__ import annotations

from collections.abc import Sequence

PROCESS_MIB = 1024  # of host memory for a framework, in addition to the model
FACTOR = 3  # activations, compilation and copies, as multiples of weights, gradients and moments


def process_mib(model_mib: float) -> float:
    """Return the MiB of host memory of one process, as a rough estimate."""
    return FACTOR * model_mib + PROCESS_MIB


def residents(processes: int, each_mib: float, available_mib: float) -> int:
    """Return how many of these processes fit into host memory together, at least 1."""
    return max(1, min(processes, int(available_mib // each_mib)))


def chunk_of(own: str, members: Sequence[str], resident: int) -> list[str]:
    """Return the members of a group that take turns with one of them.

    If there are more members than processes that are resident at once, they are divided evenly.
    """
    parts = -(-len(members) // resident)
    size, longer = divmod(len(members), parts)
    begin = 0
    for part in range(parts):
        chunk = members[begin : begin + size + (part < longer)]
        if own in chunk:
            return list(chunk)
        begin += len(chunk)
    raise ValueError(f"{own} is none of {members}")
