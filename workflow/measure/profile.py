"""What a step is spent on, from the framework's own profiler: never timed for the table.

The profiler slows a step down, so it runs after everything else. What is kept is the share of
the profiled steps in which no operation computes, which is what a faster host language could at
most save, and the operations that the rest of them went to.
"""

import time
from collections.abc import Callable

from measure.frameworks import Framework
from measure.operations import Operation, Span, attributed, recorded

MOST_STEPS = 3
ENOUGH_NS = 200_000_000  # a longer step is profiled alone
WARMUP_STEPS = 1


class ProfileTimer:
    """Takes the place of :class:`measure.timer.Timer`: profiles a few steps between two fences.

    begin: starts the profiler. end: stops it and returns all that computed. step_ns: what a
    step is known to take.
    """

    def __init__(
        self,
        fence: Callable[[], None],
        begin: Callable[[], None],
        end: Callable[[], list[Span]],
        step_ns: float,
    ) -> None:
        self._fence, self._begin, self._end = fence, begin, end
        self.steps = MOST_STEPS if step_ns < ENOUGH_NS else 1
        self._ticks = 0
        self.elapsed_ns = 0
        self.computing: list[Span] = []

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


def overhead_share(operations: dict[str, Operation], elapsed_ns: float) -> float:
    """Of a time, 0 to 1, the part in which no operation computed."""
    busy_ns = sum(operation.ns for operation in operations.values())
    return max(0.0, 1 - busy_ns / elapsed_ns)


def outermost(spans: list[Span]) -> int:
    """How many of them lie in no other one: an operation that calls others is one."""
    number, reached = 0, float("-inf")
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.end > reached:
            number, reached = number + 1, span.end
    return number


def profile(framework: Framework, step_ns: float) -> dict:
    """The record's ``host_overhead``; raises whatever the profiler fails with.

    step_ns: what a step takes without the profiler.
    """
    timer = ProfileTimer(framework.fence, framework.begin_profile, framework.end_profile, step_ns)
    framework.run(timer)
    if not timer.computing:
        raise RuntimeError("the profiler saw no operation at all")
    operations = attributed(timer.computing)
    return {
        "share": overhead_share(operations, timer.elapsed_ns),
        "operations_per_step": outermost(timer.computing) / timer.steps,
        "method": framework.profiler,
        "steps": timer.steps,
        "step_ms": timer.elapsed_ns / timer.steps / 1e6,
        **recorded(operations, timer.steps),
    }
