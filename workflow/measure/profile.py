"""What a step is spent on, from the framework's own profiler: never timed for the table.

The profiler slows a step down, so it runs after everything else, and beside each block of steps
under it is one of as many steps without it: by how much it slows them is known with its scatter.
What is kept is the share of the profiled steps in which no operation computes, which is what a
faster host language could save, and the operations that the rest of them went to.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable

from measure.foreign import foreign_share, other_cpu_seconds
from measure.frameworks import Framework
from measure.operations import Operation, Span, attributed, recorded
from measure.timer import Steps

PAIRS = 3  # of blocks, one without the profiler and one under it
MOST_STEPS = 3  # of a block
ENOUGH_NS = 100_000_000  # a longer step is a block of its own


class ProfileTimer:
    """Takes the place of :class:`measure.timer.Timer`: steps without the profiler and under it, in
    turns, each block between two fences. Each pair of blocks comes after a step that counts for
    nothing: reading what the profiler saw takes the caches.

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
        self.size = MOST_STEPS if step_ns < ENOUGH_NS else 1
        self._steps = self._run()
        self.plain_ns: list[int] = []  # of each block
        self.profiled_ns: list[int] = []
        self.computing: list[list[Span]] = []  # of each profiled block, on a clock of its own

    def start(self) -> None:
        """As the timer's; nothing to do here."""

    def tick(self) -> bool:
        """Before each step. True: enough."""
        try:
            next(self._steps)
        except StopIteration:
            return True
        return False

    @property
    def steps(self) -> int:
        """Under the profiler."""
        return self.size * len(self.profiled_ns)

    def _run(self) -> Steps:
        for _ in range(PAIRS):
            yield
            self._fence()
            self.plain_ns.append((yield from self._block()))
            self._begin()
            self.profiled_ns.append((yield from self._block()))
            self.computing.append(self._end())

    def _block(self) -> Generator[None, None, int]:
        """Elapsed ns."""
        started = time.perf_counter_ns()
        for _ in range(self.size):
            yield
        self._fence()
        return time.perf_counter_ns() - started


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
    others, began_s = other_cpu_seconds(), time.perf_counter()
    framework.run(timer)
    foreign = foreign_share(others, other_cpu_seconds(), time.perf_counter() - began_s)
    if not any(timer.computing):
        raise RuntimeError("the profiler saw no operation at all")
    operations = _together(map(attributed, timer.computing))
    elapsed_ns = sum(timer.profiled_ns)
    pairs = zip(timer.plain_ns, timer.profiled_ns, strict=True)
    return {
        "share": overhead_share(operations, elapsed_ns),
        "operations_per_step": sum(map(outermost, timer.computing)) / timer.steps,
        "method": framework.profiler,
        "steps": timer.steps,
        "step_ms": elapsed_ns / timer.steps / 1e6,
        "foreign_cpu_share": foreign,
        "pairs": [
            {"plain_ms": plain / timer.size / 1e6, "profiled_ms": profiled / timer.size / 1e6}
            for plain, profiled in pairs
        ],
        **recorded(operations, timer.steps),
    }


def _together(found: Iterable[dict[str, Operation]]) -> dict[str, Operation]:
    """The operations of several blocks."""
    every: dict[str, Operation] = defaultdict(Operation)
    for name, operation in (entry for block in found for entry in block.items()):
        into = every[name]
        into.ns += operation.ns
        into.count += operation.count
        into.lasted_ns += operation.lasted_ns
        into.handed_on_ns += operation.handed_on_ns
    return dict(every)
