"""Profile steps with the framework's own profiler; never timed for the table.

The profiler slows a step down, so it runs after everything else. Each block of steps under it is
paired with a block of as many steps without it, to measure the slowdown and its variability. Kept
are the share of the profiled steps in which no operation computes, which a faster host language
could save, and the operations that used the rest.
"""

import gc
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from millistep.measure.frameworks import Framework
from millistep.measure.interference import Others
from millistep.measure.operations import Operation, Span, attributed, recorded

PAIRS = 3  # pairs of blocks, one without the profiler and one under it
MOST_STEPS = 3  # steps of a block, at most
ENOUGH_NS = 100_000_000  # a longer step is a block of its own


class ProfileTimer:
    """Takes the place of :class:`measure.timer.Timer`: times blocks without the profiler and under
    it in turns, each between two synchronizations. A step before each pair does not count, because
    reading the trace leaves cold caches.

    begin: starts the profiler. end: stops it and returns all that computed. step_ns: the known
    time of a step. batches: steps between two ticks, see :class:`measure.timer.Timer`.
    """

    def __init__(
        self,
        fence: Callable[[], None],
        begin: Callable[[], None],
        end: Callable[[], list[Span]],
        step_ns: float,
        batches: int = 1,
    ) -> None:
        self._fence, self._begin, self._end = fence, begin, end
        self._ticks = MOST_STEPS if step_ns * batches < ENOUGH_NS else 1
        self.size = self._ticks * batches  # steps of a block
        self._steps = self._run()
        self.plain_ns: list[int] = []  # of each block
        self.profiled_ns: list[int] = []
        self.computing: list[list[Span]] = []  # of each profiled block, on a clock of its own

    def start(self) -> None:
        """Do nothing: the timer's counterpart."""

    def tick(self) -> bool:
        """Return True after enough steps: call before each step."""
        return bool(next(self._steps, True))

    def close(self) -> None:
        """End the profiler if a step has failed under it."""
        self._steps.close()

    @property
    def steps(self) -> int:
        return self.size * len(self.profiled_ns)

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
            with _uncollected():
                self.computing.append(self._end())

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
    ends = framework.begin_profile, framework.end_profile
    batches = getattr(framework, "batches_per_tick", 1)
    timer = ProfileTimer(framework.fence, *ends, step_ns, batches)
    others = Others()
    others.begin()
    with closing(timer):
        framework.run(timer)
    others.end()
    if not any(timer.computing):
        raise RuntimeError("the profiler saw no operation at all")
    with _uncollected():
        operations = _together(map(attributed, timer.computing))
    elapsed_ns = sum(timer.profiled_ns)
    busy_ns = sum(operation.ns for operation in operations.values())
    pairs = zip(timer.plain_ns, timer.profiled_ns, strict=True)
    return {
        "share": max(0.0, 1 - busy_ns / elapsed_ns),
        "method": framework.profiler,
        "steps": timer.steps,
        "step_ms": elapsed_ns / timer.steps / 1e6,
        "foreign_cpu_share": others.share(),
        "pairs": [
            {"plain_ms": plain / timer.size / 1e6, "profiled_ms": profiled / timer.size / 1e6}
            for plain, profiled in pairs
        ],
        **recorded(operations, timer.steps),
    }


def _together(found: Iterable[dict[str, Operation]]) -> dict[str, Operation]:
    every: dict[str, Operation] = defaultdict(Operation)
    for name, operation in (entry for block in found for entry in block.items()):
        into = every[name]
        into.ns += operation.ns
        into.count += operation.count
        into.lasted_ns += operation.lasted_ns
        into.handed_on_ns += operation.handed_on_ns
    return dict(every)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disable the garbage collector: a trace makes ten thousands of objects that all stay, and each
    collection would look through them and through the framework's own for a third of the time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
