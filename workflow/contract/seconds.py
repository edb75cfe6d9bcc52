"""How long a further run of a cell would take, by a run that is done."""

from __future__ import annotations

from collections.abc import Iterable


def of_another_run(total_s: float, timed_s: float, every_run_ns: Iterable[int]) -> float:
    """Seconds, without what the first run of a cell alone measures.

    total_s: of the whole run. timed_s: of its steps and of all that was measured beside them.
    every_run_ns: parts of that which every run has: blocks, single steps, probes at other lengths.
    """
    return total_s - max(0.0, timed_s - sum(every_run_ns) / 1e9)
