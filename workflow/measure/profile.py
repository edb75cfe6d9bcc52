"""How much of a step is computing, from the framework's own profiler: never timed for the table.

The profiler slows a step down, so it runs after everything else, and what is
kept is a share: of the profiled steps, the part in which no operation computes.
A faster host language could at most save that part.
"""

import time
import traceback
from collections.abc import Callable

from measure.frameworks import Framework

MOST_STEPS = 3
ENOUGH_NS = 200_000_000  # a longer step is profiled alone
WARMUP_STEPS = 1


class ProfileTimer:
    """Takes the place of :class:`measure.timer.Timer`: profiles a few steps between two fences.

    begin: starts the profiler. end: stops it and returns the times at which
    operations computed, ``(start ns, end ns)`` on any one clock. step_ns: what a
    step is known to take.
    """

    def __init__(
        self,
        fence: Callable[[], None],
        begin: Callable[[], None],
        end: Callable[[], list[tuple[int, int]]],
        step_ns: float,
    ) -> None:
        self._fence, self._begin, self._end = fence, begin, end
        self.steps = MOST_STEPS if step_ns < ENOUGH_NS else 1
        self._ticks = 0
        self.elapsed_ns = 0
        self.computing: list[tuple[int, int]] = []

    def start(self) -> None:
        """As the timer's; nothing to do here."""

    def tick(self) -> bool:
        """Before each step. True: enough."""
        self._ticks += 1
        if self._ticks == WARMUP_STEPS + 1:
            self._fence()
            self._begin()
            self._started = time.perf_counter_ns()
        if self._ticks == WARMUP_STEPS + self.steps + 1:
            self._fence()
            self.elapsed_ns = time.perf_counter_ns() - self._started
            self.computing = self._end()
            return True
        return False

    @property
    def overhead_share(self) -> float:
        """Of the profiled time, 0 to 1, the part in which no operation computed."""
        return max(0.0, 1 - union_ns(self.computing) / self.elapsed_ns)


def union_ns(intervals: list[tuple[int, int]]) -> int:
    """Nanoseconds covered by at least one interval."""
    covered, reached = 0.0, float("-inf")
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return int(covered)


def outermost(intervals: list[tuple[int, int]]) -> int:
    """How many of them lie in no other one: an operation that calls others is one."""
    number, reached = 0, float("-inf")
    for _, end in sorted(intervals, key=lambda interval: (interval[0], -interval[1])):
        if end > reached:
            number, reached = number + 1, end
    return number


def profile(framework: Framework, step_ns: float) -> dict | None:
    """The record's ``host_overhead``; None where the profiler failed, which costs nothing."""
    timer = ProfileTimer(framework.fence, framework.begin_profile, framework.end_profile, step_ns)
    try:
        framework.run(timer)
    except Exception:
        traceback.print_exc()
        return None
    if not timer.computing:
        return None  # the profiler saw no operation at all
    slower = timer.elapsed_ns / timer.steps / step_ns
    method = f"{framework.profiler}; under the profiler a step took {slower:.2f} times as long"
    return {
        "share": timer.overhead_share,
        "operations_per_step": outermost(timer.computing) / timer.steps,
        "method": method,
        "steps": timer.steps,
    }
