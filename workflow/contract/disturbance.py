"""What makes the times of a run worth nothing: something else computed beside it."""

from __future__ import annotations

DISTURBED = "disturbed"  # beside a number that tells nothing, in tables and on the terminal
FOREIGN_CPU_HEAVY = 0.10  # of a run's processors, used by others: what was measured tells nothing


def disturbance(foreign_cpu_share: float | None, foreign_gpu_processes: int | None) -> str:
    """Return the interference that makes times useless, such as 'other processes took at least 25 %
    of the processors'; empty where nothing disturbed them so much, or nobody knows.
    """
    found = []
    if (foreign_cpu_share or 0.0) >= FOREIGN_CPU_HEAVY:
        least = f"{100 * FOREIGN_CPU_HEAVY:.0f}\u00a0%"
        found.append(f"other processes took at least {least} of the processors")
    if foreign_gpu_processes:
        found.append("other processes had a context on the GPU")
    return " and ".join(found)
