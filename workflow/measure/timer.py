"""The clock of one run: counts steps and reads the time between fences.

A framework calls :meth:`Timer.start` just before it enters its public loop and
:meth:`Timer.tick` before every step, on the thread that issues the steps. Until
the next tick nothing of ours runs, so a step is exactly what a user would get.
A fence waits until every output and every updated variable of the steps issued
so far is ready; it runs only at the borders of blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator

from measure.protocol import Protocol

MAX_WARMUP_STEPS = 20
MIN_BLOCKS = 8  # of a run, for the analysis to see whether it was steady
Steps = Iterator[None]  # one entry before each step


class Finished(Exception):
    """Leaves a framework's loop once enough steps were timed."""


class Timer:
    """One pass through the protocol: first step, warm-up, blocks, single steps.

    fence: waits for all work issued so far.
    compilations: number of programs compiled so far, or None if not counted.
    on_window: called once, after the warm-up and before the first block.
    on_window_end: called once, after the last block.
    on_block: called at most about once a second with this timer, between
        blocks, never inside one.
    late: waits for whatever the fence has left to be done, and returns the ns
        that took; None where nothing can tell. Asked after each block.
    """

    def __init__(
        self,
        protocol: Protocol,
        fence: Callable[[], None],
        compilations: Callable[[], int | None],
        on_window: Callable[[], object] | None = None,
        on_window_end: Callable[[], object] | None = None,
        on_block: Callable[[Timer], object] | None = None,
        late: Callable[[], int] | None = None,
        clock: Callable[[], int] | None = None,
    ) -> None:
        self._protocol = protocol
        self._fence = fence
        self._compilations = compilations
        self._on_window = on_window or (lambda: None)
        self._on_window_end = on_window_end or (lambda: None)
        self._on_block = on_block or (lambda timer: None)
        self._late = late
        self._clock = clock or time.perf_counter_ns
        self._steps = self._run()
        self.first_step_ns = 0
        self.warmup_steps = 0  # the first step included
        self.warmup_ns = 0  # the steps after the first
        self.blocks: list[tuple[int, int]] = []  # (steps, elapsed ns)
        self.late_ns: list[int] = []  # of each block, if something can tell
        self.window_ns: tuple[int, int] | None = None  # clock at the first and last border
        self.stop = "time"
        self.synchronised_ns: list[int] = []
        self.compilations_before: int | None = None
        self.compilations_during: int | None = None
        self.started_ns = self._told = 0

    def start(self) -> None:
        """Open the first step: call right before the public API is entered."""
        self.started_ns = self._told = self._clock()

    def tick(self) -> bool:
        """To be called when all earlier steps are issued, before the next one. True: enough."""
        return bool(next(self._steps, True))

    @property
    def timed_ns(self) -> int:
        """Nanoseconds of all pipelined and synchronised steps."""
        return sum(ns for _, ns in self.blocks) + sum(self.synchronised_ns)

    @property
    def steps(self) -> int:
        """Pipelined steps so far."""
        return sum(steps for steps, _ in self.blocks)

    @property
    def step_ns(self) -> float:
        """Mean of the pipelined steps so far, 0 before the first block."""
        return sum(ns for _, ns in self.blocks) / self.steps if self.blocks else 0.0

    def _run(self) -> Steps:
        yield  # first step
        self._fence()
        self.first_step_ns = self._clock() - self.started_ns
        self.warmup_steps = 1
        step_ns = yield from self._warm_up()
        self.compilations_before = self._compilations()
        self._on_window()
        yield from self._pipelined(step_ns)
        self._on_window_end()
        if self._protocol.synchronised_steps:
            yield from self._synchronised()
        compilations = self._compilations()
        if compilations is not None and self.compilations_before is not None:
            self.compilations_during = compilations - self.compilations_before

    def _warm_up(self) -> Generator[None, None, int]:
        """Discard steps until enough have passed without a compilation. Returns the shortest of
        these in ns.
        """
        quiet_ns: list[int] = []
        compiled, step_ns = self._compilations(), 0
        began = self._clock()
        while len(quiet_ns) < self._protocol.warmup_steps:
            start = self._clock()
            yield
            self._fence()
            step_ns = self._clock() - start
            self.warmup_steps += 1
            now_compiled = self._compilations()
            quiet_ns = [*quiet_ns, step_ns] if now_compiled == compiled else []
            compiled = now_compiled
            if self.warmup_steps == MAX_WARMUP_STEPS:
                break  # it never settles; the timed window will show the compilations
        self.warmup_ns = self._clock() - began
        return min(quiet_ns, default=step_ns)

    def _pipelined(self, step_ns: int) -> Steps:
        """Make the steps that were planned before the first of them; fewer only at the hard cap."""
        size, planned = block_size(self._protocol, step_ns), planned_steps(self._protocol, step_ns)
        while self.steps < planned and self.timed_ns < self._protocol.hard_cap_s * 1e9:
            yield from self._block(min(size, planned - self.steps))
        if self.steps >= self._protocol.max_steps:
            self.stop = "steps"

    def _block(self, size: int) -> Steps:
        start = self._clock()
        for _ in range(size):
            yield
        self._fence()
        now = self._clock()
        self.blocks.append((size, now - start))
        self.window_ns = (self.window_ns[0] if self.window_ns else start, now)
        if self._late:
            self.late_ns.append(self._late())
        if now - self._told > 1e9:
            self._on_block(self)
            self._told = now

    def _synchronised(self) -> Steps:
        began = self._clock()
        while len(self.synchronised_ns) < self._protocol.synchronised_steps:
            start = self._clock()
            yield
            self._fence()
            now = self._clock()
            self.synchronised_ns.append(now - start)
            if now - began > self._protocol.synchronised_cap_s * 1e9:
                break


def block_size(protocol: Protocol, step_ns: int) -> int:
    """Steps of one block: near ``block_s``, at least 2 so that steps can overlap.

    One if a step takes longer than all that may be timed.
    """
    if step_ns > protocol.cap_s * 1e9:
        return 1
    wanted = round(protocol.block_s * 1e9 / step_ns) if step_ns else 1
    return max(2, min(wanted, protocol.max_steps // 10))


def planned_steps(protocol: Protocol, step_ns: int) -> int:
    """Number of steps to time: what the cap on time allows, by a step of the warm-up, but enough to
    report and to judge them by. What the timed steps themselves take has no say in it: to stop when
    they look precise is to stop before the rare slow one.
    """
    affordable = int(protocol.cap_s * 1e9 / step_ns) if step_ns else protocol.max_steps
    least = protocol.min_steps
    if least > 1:
        least = max(least, MIN_BLOCKS * block_size(protocol, step_ns))
    return min(max(affordable, least), protocol.max_steps)
