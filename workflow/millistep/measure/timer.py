"""The clock of one run: counts steps and reads the time between synchronizations.

A framework calls :meth:`Timer.start` just before it enters its public loop and :meth:`Timer.tick`
before every step, on the thread that issues the steps. Between two ticks nothing of ours runs, so a
step is exactly what a user would get. A synchronization waits until every output and every updated
variable of the steps issued so far is ready; it runs only at the borders of timing windows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from millistep.measure.conformance import GOES_ON, WrongModel
from millistep.measure.frameworks import Framework
from millistep.measure.protocol import PROTOCOLS, Protocol

MAX_WARMUP_STEPS = 20
MAX_WINDOW_STEPS = 500  # of loops that keep the output of every step until they return
MANY_STEPS = 50_000  # of all others: enough for windows of some tenths of a second
STILL_COLD = 2  # windows; in a longer step, cold caches do not count
DISCARDED = 6  # a turn begins with a sixth of a window, while caches hold another process's data
Steps = Iterator[bool]  # False before each step, True after the last one


class Finished(Exception):
    """Leaves a framework's loop once enough steps were timed."""


@dataclass(eq=False)
class Timer:
    """One pass through the protocol: first step, warm-up, timing windows, synchronized steps."""

    protocol: Protocol
    fence: Callable[[], None]  # waits for all work issued so far
    compilations: Callable[[], int | None]  # number of programs so far, or None if not counted
    # Called when the process is ready and after each turn: waits for the next turn and returns the
    # number of windows to time in it. Without it, all windows belong to one turn.
    next_turn: Callable[[Timer], int] | None = None
    # Makes a context that is open from the first to the last window of each turn.
    turn: Callable[[], AbstractContextManager[object]] = nullcontext
    # Called after each window: waits for any work that the synchronization missed and returns how
    # long that took in ns.
    late: Callable[[], int] | None = None
    clock: Callable[[], int] = field(default_factory=lambda: time.perf_counter_ns)
    batches: int = 1  # steps that the framework makes between two ticks
    most_steps: int = MAX_WINDOW_STEPS  # ticks of a window at most

    def __post_init__(self) -> None:
        self._steps = self._run()
        self.started_ns = self.first_step_ns = 0
        self._warmup_ticks = 0  # the first step included
        self.warmup_ns = 0  # the steps after the first
        self.windows: list[tuple[int, int, int]] = []  # (steps, elapsed ns, start on the clock)
        self.late_ns: list[int] = []  # of each window, if the framework can measure it
        self.synchronized_ns: list[int] = []
        self._between = 0  # ticks discarded between two windows
        self.compilations_before: int | None = None
        self.compilations_during: int | None = None
        self.stop = "windows"
        self.finished = False

    def start(self) -> None:
        self.started_ns = self.clock()

    def tick(self) -> bool:
        return next(self._steps)

    @property
    def windows_left(self) -> int:
        """Timing windows that are still planned; none after the hard cap on time."""
        left = self.protocol.windows - len(self.windows)
        if left and self.elapsed_ns >= self.protocol.hard_cap_s * 1e9:
            self.stop = "time"
            return 0
        return left

    @property
    def elapsed_ns(self) -> int:
        """Nanoseconds of all timing windows so far."""
        return sum(ns for _, ns, _ in self.windows)

    @property
    def timed_ns(self) -> int:
        """Nanoseconds of all timing windows and synchronized steps."""
        return self.elapsed_ns + sum(self.synchronized_ns)

    @property
    def warmup_steps(self) -> int:
        """Discarded steps, the first one included."""
        return self._warmup_ticks * self.batches

    @property
    def steps(self) -> int:
        """Steps in timing windows so far."""
        return sum(steps for steps, _, _ in self.windows)

    @property
    def step_ns(self) -> float:
        """Mean step time so far; 0 before the first window."""
        return self.elapsed_ns / self.steps if self.windows else 0.0

    @property
    def recorded(self) -> list[dict[str, int]]:
        """The windows as a record has them."""
        return [
            {"steps": steps, "elapsed_ns": ns, "start_ns": start}
            for steps, ns, start in self.windows
        ]

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """Clock at the start of the first window and at the end of the last one."""
        if not self.windows:
            return None
        _, last_ns, last_start_ns = self.windows[-1]
        return self.windows[0][2], last_start_ns + last_ns

    @property
    def span_steps(self) -> int:
        """Steps within the span, those that turns begin with included."""
        return self.steps + self._between * self.batches

    def _run(self) -> Steps:
        yield False  # first step
        self.fence()
        self.first_step_ns = self.clock() - self.started_ns
        self._warmup_ticks = 1
        step_ns = yield from self._warm_up()
        if self.protocol.synchronized_steps:
            # Not after the turns, when Snakemake handles the end of the run before.
            step_ns = yield from self._discard_window(step_ns)
            yield from self._synchronized()
        self.compilations_before = self.compilations()
        size = discarded = 0
        while number := (self.next_turn(self) if self.next_turn else self.windows_left):
            if self.windows:
                yield from self._discard(discarded)
                self._between += discarded
            else:
                step_ns = yield from self._discard_window(step_ns)
                size = window_steps(self.protocol, step_ns, self.most_steps)
                short = step_ns <= STILL_COLD * self.protocol.window_s * 1e9
                discarded = max(1, size // DISCARDED) if short else 0
            yield from self._turn(min(number, self.windows_left), size)
        compilations = self.compilations()
        if compilations is not None:  # None before the first one, where few parts are compiled
            self.compilations_during = compilations - (self.compilations_before or 0)
        self.finished = True
        yield True
        raise WrongModel(GOES_ON)

    def _warm_up(self) -> Generator[bool, None, int]:
        """Discard steps until enough pass without a compilation. Return the shortest in ns."""
        quiet_ns: list[int] = []
        compiled, step_ns = self.compilations(), 0
        began = self.clock()
        while len(quiet_ns) < self.protocol.warmup_steps:
            start = self.clock()
            yield False
            self.fence()
            step_ns = self.clock() - start
            self._warmup_ticks += 1
            now_compiled = self.compilations()
            quiet_ns = [*quiet_ns, step_ns] if now_compiled == compiled else []
            compiled = now_compiled
            if self._warmup_ticks == MAX_WARMUP_STEPS:
                break  # it never settles; the timing windows will show the compilations
        self.warmup_ns = self.clock() - began
        return min(quiet_ns, default=step_ns)

    def _discard_window(self, step_ns: int) -> Generator[bool, None, int]:
        """Discard the steps of a window, given their time in the warm-up. Return the time of a step
        in ns: the shortest that was seen.

        The window takes up to twice as long where a virtual machine hands out memory that it has
        not used before. It is too short if other processes computed during the warm-up; then a
        longer one follows.
        """
        while True:
            size = window_steps(self.protocol, step_ns, self.most_steps)
            start = self.clock()
            yield from self._discard(size)
            step_ns = min(step_ns, (self.clock() - start) // size)
            if window_steps(self.protocol, step_ns, self.most_steps) <= 1.5 * size:
                return step_ns

    def _discard(self, steps: int) -> Steps:
        for _ in range(steps):
            yield False
        if steps:
            self.fence()

    def _turn(self, number: int, size: int) -> Steps:
        with self.turn():
            for _ in range(number):
                yield from self._window(size)
                if not self.windows_left:
                    break

    def _window(self, size: int) -> Steps:
        start = self.clock()
        for _ in range(size):
            yield False
        self.fence()
        self.windows.append((size * self.batches, self.clock() - start, start))
        if self.late:
            self.late_ns.append(self.late())

    def _synchronized(self) -> Steps:
        began = self.clock()
        while len(self.synchronized_ns) < self.protocol.synchronized_steps:
            start = self.clock()
            yield False
            self.fence()
            now = self.clock()
            self.synchronized_ns.append(max(1, (now - start) // self.batches))
            if now - began > self.protocol.synchronized_cap_s * 1e9:
                break


def harness_ns(framework: Framework) -> float:
    """Return what counting a step costs in ns: the shortest of several windows of empty steps."""
    protocol = replace(PROTOCOLS["smoke"], synchronized_steps=0)
    timer = Timer(protocol, lambda: None, lambda: None, batches=framework.batches_per_tick)
    framework.empty_steps(timer)
    return min(ns / steps for steps, ns, _ in timer.windows)


def window_steps(protocol: Protocol, step_ns: int, most: int = MAX_WINDOW_STEPS) -> int:
    """Return the steps of one timing window, given the time of a step.

    At least 2, so that steps can overlap; 1 if a step takes longer than a window.
    """
    window_ns = protocol.window_s * 1e9
    if step_ns > window_ns:
        return 1
    return max(2, min(round(window_ns / step_ns) if step_ns else 2, most))
