"""Profile steps with the framework's own profiler; never timed for the table.

Each block of steps under the profiler is paired with a block of as many steps without it, to
measure the slowdown and its variability. Kept are the share of the profiled steps in which no
operation computes, which a faster host language could save, and the operations that used the rest.
"""

import gc
import time
from collections import defaultdict
from collections.abc import Generator
from contextlib import closing, suppress
from typing import Any

from millistep.measure.frameworks import Framework
from millistep.measure.interference import Others
from millistep.measure.operations import Operation, attributed, recorded

PAIRS = 3  # pairs of blocks, one without the profiler and one under it
MOST_STEPS = 3  # steps of a block, at most
ENOUGH_NS = 100_000_000  # a longer step is a block of its own


class ProfileTimer:
    """Takes the place of :class:`measure.timer.Timer`: times blocks without the profiler and under
    it in turns, each between two synchronizations. A step before each pair does not count, because
    reading the trace leaves cold caches.
    """

    def __init__(self, framework: Framework, step_ns: float) -> None:
        assert framework.begin_profile
        self._begin, self._end = framework.begin_profile, framework.end_profile
        self._fence, batches = framework.fence, framework.batches_per_tick
        self._ticks = MOST_STEPS if step_ns * batches < ENOUGH_NS else 1
        self.size = self._ticks * batches  # steps of a block
        self.blocks = self._run()
        self.plain_ns: list[int] = []  # of each block
        self.profiled_ns: list[int] = []
        self.operations: defaultdict[str, Operation] = defaultdict(Operation)

    def start(self) -> None:
        """Do nothing: blocks are timed, not the loop."""

    def tick(self) -> bool:
        return bool(next(self.blocks, True))

    def _run(self) -> Generator[None, None, None]:
        for _ in range(PAIRS):
            yield
            self._fence()
            self.plain_ns.append((yield from self._block()))
            self._begin()
            try:
                self.profiled_ns.append((yield from self._block()))
            except BaseException:
                # Later steps, a training too, would be timed under it. Raise the first error.
                with suppress(Exception):
                    self._end()
                raise
            # A trace makes ten thousands of objects that all stay. Each collection would look
            # through them and through the framework's own, for a third of the time.
            collects = gc.isenabled()
            gc.disable()
            try:
                attributed(self._end(), self.operations)
            finally:
                if collects:
                    gc.enable()

    def _block(self) -> Generator[None, None, int]:
        """Time the steps of a block between two synchronizations; return the elapsed ns."""
        started = time.perf_counter_ns()
        for _ in range(self._ticks):
            yield
        self._fence()
        return time.perf_counter_ns() - started


def profile(framework: Framework, step_ns: float) -> dict[str, Any]:
    """Profile steps, for the record's ``host_overhead``; raises whatever the profiler fails with.

    step_ns: what a step takes without the profiler.
    """
    timer = ProfileTimer(framework, step_ns)
    others = Others()
    with others, closing(timer.blocks):  # ends the profiler if a step has failed under it
        framework.run(timer)
    if not timer.operations:
        raise RuntimeError("the profiler saw no operation at all")
    steps = timer.size * len(timer.profiled_ns)
    elapsed_ns = sum(timer.profiled_ns)
    busy_ns = sum(operation.ns for operation in timer.operations.values())
    return {
        "share": max(0.0, 1 - busy_ns / elapsed_ns),
        "method": framework.profiler,
        "steps": steps,
        "step_ms": elapsed_ns / steps / 1e6,
        "foreign_cpu_share": others.share(),
        "pairs": [
            {"plain_ms": plain / timer.size / 1e6, "profiled_ms": profiled / timer.size / 1e6}
            for plain, profiled in zip(timer.plain_ns, timer.profiled_ns, strict=True)
        ],
        **recorded(timer.operations, steps),
    }
