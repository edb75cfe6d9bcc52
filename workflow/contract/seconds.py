"""The time that another run of a cell would take, estimated from a run that is done."""

from __future__ import annotations

from collections.abc import Iterable


def of_another_run(total_s: float, timed_s: float, every_run_ns: Iterable[int]) -> float:
    """Seconds of another run, without what only the first run of a cell measures.

    total_s: of the whole run. timed_s: of its steps and everything else that it measured.
    every_run_ns: the parts of that which every run has: blocks, single steps, probes of lengths.
    """
    return total_s - max(0.0, timed_s - sum(every_run_ns) / 1e9)
