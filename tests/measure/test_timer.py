"""The timer against a clock that the test turns."""

import contextlib
import dataclasses
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import Timer

MS = 1_000_000


class World:
    """A device that works asynchronously: a step is issued at once and done later."""

    def __init__(self, step_ns, issue_ns=0, compile_at=()):
        self.now = 0
        self.device_free_at = 0
        self.step_ns, self.issue_ns = step_ns, issue_ns
        self.compile_at = set(compile_at)
        self.steps = self.compiled = 0

    def step(self):
        self.steps += 1
        self.now += self.issue_ns
        self.compiled += self.steps in self.compile_at
        self.device_free_at = max(self.device_free_at, self.now) + self.cost(self.steps)

    def cost(self, step):
        return self.step_ns + (1000 * MS if step in self.compile_at else 0)

    def fence(self):
        self.now = max(self.now, self.device_free_at)

    def late(self):
        left = max(0, self.device_free_at - self.now)
        self.now += left
        return left

    def time(self, protocol, **options):
        own = {"compilations": lambda: self.compiled, "clock": lambda: self.now}
        timer = Timer(protocol, self.fence, **own | options)
        timer.start()
        while not timer.tick():
            self.step()
        return timer


SMOKE = PROTOCOLS["smoke"]


def test_asynchronous_steps_are_timed_in_full():
    world = World(step_ns=20 * MS, issue_ns=MS)
    timer = world.time(SMOKE)
    # The first step of a window is issued while the device idles after the synchronization.
    assert timer.step_ns == pytest.approx(20 * MS, rel=0.06)
    assert timer.first_step_ns == 21 * MS


@pytest.mark.parametrize(
    ("step_ms", "size", "discarded"),
    [(0.1, 500, 83), (1, 150, 25), (60, 2, 1), (200, 1, 1), (400, 1, 0)],
)
def test_windows_are_planned_by_a_step_of_the_warm_up(step_ms, size, discarded):
    laptop = dataclasses.replace(PROTOCOLS["laptop"], hard_cap_s=1e6, synchronized_steps=0)
    world = World(step_ns=round(step_ms * MS))
    timer = world.time(laptop, next_turn=lambda timer: min(5, timer.windows_left))
    assert (timer.stop, len(timer.windows)) == ("windows", laptop.windows)
    assert {steps for steps, _, _ in timer.windows} == {size}
    # Two turns: a window is discarded before the first one.
    assert world.steps == timer.warmup_steps + size + discarded + timer.steps


@pytest.mark.parametrize(("slow_ms", "discarded"), [(30, 5 + 150), (4000, 1 + 150)])
def test_a_warm_up_next_to_other_processes_does_not_make_windows_short(slow_ms, discarded):
    """Nor does a turn begin with steps that count, because a step seemed to be long."""
    laptop = dataclasses.replace(PROTOCOLS["laptop"], synchronized_steps=0)
    world = World(step_ns=MS)
    world.cost = lambda step: MS * (slow_ms if step <= 3 else 1)
    timer = world.time(laptop, next_turn=lambda timer: min(5, timer.windows_left))
    assert {steps for steps, _, _ in timer.windows} == {150}
    second_turn = 25
    assert world.steps == timer.warmup_steps + discarded + second_turn + timer.steps


def test_each_turn_discards_its_first_steps_and_waits_for_the_next_one():
    world, asked = World(step_ns=MS), iter([2, 1, 3, 0])
    around = []

    @contextlib.contextmanager
    def turn():
        around.append("begin")
        yield
        around.append("end")

    timer = world.time(
        dataclasses.replace(SMOKE, synchronized_steps=0),
        next_turn=lambda timer: around.append(len(timer.windows)) or next(asked),
        turn=turn,
    )
    assert around == [0, "begin", "end", 2, "begin", "end", 3, "begin", "end", 6]
    assert world.steps == timer.warmup_steps + timer.windows[0][0] + 2 * 1 + timer.steps
    assert timer.span_steps == timer.steps + 2 * 1  # of which the energy is counted


@given(slow=st.sets(st.integers(4, 200)), times=st.integers(2, 20))
def test_what_the_timed_steps_take_does_not_change_how_many_there_are(slow, times):
    """Below the hard cap: rare slow steps, wherever they fall, do not end a run earlier."""
    world, plain = World(step_ns=20 * MS), World(step_ns=20 * MS)
    world.cost = lambda step: 20 * MS * (times if step in slow else 1)
    protocol = dataclasses.replace(PROTOCOLS["laptop"], hard_cap_s=1e6)
    assert world.time(protocol).steps == plain.time(protocol).steps


def test_what_a_lost_fence_leaves_to_do_is_timed_behind_each_block():
    world = World(step_ns=20 * MS, issue_ns=MS)
    timer = world.time(SMOKE, late=world.late)
    assert timer.late_ns == [0] * len(timer.windows)
    world.fence = lambda: None
    timer = world.time(SMOKE, late=world.late)
    windows = zip(timer.windows, timer.late_ns, strict=True)
    per_step = [(elapsed + late) / steps for (steps, elapsed, _), late in windows]
    # The first window also ends what the warm-up has left.
    assert per_step[1:] == pytest.approx([20 * MS] * (len(per_step) - 1), rel=0.06)


def test_two_steps_after_the_last_compilation_are_discarded():
    timer = World(step_ns=MS, compile_at=(1, 2, 4)).time(SMOKE)
    assert timer.warmup_steps == 6
    assert (timer.compilations_before, timer.compilations_during) == (3, 0)
    assert timer.step_ns == MS
    assert World(step_ns=MS, compile_at=(1, 19)).time(SMOKE).compilations_during == 1


def test_a_compilation_in_the_windows_counts_if_there_was_none_before():
    """A framework counts none until a part of an eager model is compiled."""
    world = World(step_ns=MS, compile_at=(19,))
    timer = world.time(SMOKE, compilations=lambda: world.compiled or None)
    assert (timer.compilations_before, timer.compilations_during) == (None, 1)


def test_all_windows_that_were_planned_are_no_early_end():
    protocol = dataclasses.replace(PROTOCOLS["laptop"], synchronized_steps=0)
    last = protocol.hard_cap_s / protocol.windows * 1e9  # the last window passes the cap
    timer = World(step_ns=round(last) + MS).time(protocol)
    assert (timer.stop, len(timer.windows)) == ("windows", protocol.windows)


def test_very_long_steps_stop_at_the_cap():
    laptop = PROTOCOLS["laptop"]
    timer = World(step_ns=3_000 * MS).time(laptop)
    assert timer.stop == "time"
    assert timer.step_ns == 3_000 * MS
    assert len(timer.synchronized_ns) == 1


@given(
    step_ns=st.integers(1_000, 10**10),
    compile_at=st.sets(st.integers(1, 40)),
    scale=st.sampled_from(sorted(PROTOCOLS)),
)
def test_every_nanosecond_is_accounted_for(step_ns, compile_at, scale):
    world = World(step_ns, compile_at=compile_at)
    plain, discarded = Timer._discard, []

    def noted(self, steps):
        before = world.steps
        yield from plain(self, steps)
        discarded.extend(range(before + 1, world.steps + 1))

    with patch.object(Timer, "_discard", noted):
        timer = world.time(PROTOCOLS[scale])
    accounted = timer.first_step_ns + timer.warmup_ns + timer.timed_ns
    counted = timer.warmup_steps + timer.steps + len(timer.synchronized_ns)
    # At least a window after the synchronized steps, and a step before them.
    assert len(discarded) == world.steps - counted > timer.windows[0][0]
    lost_ns = sum(map(world.cost, discarded))
    assert accounted + lost_ns == world.now - timer.started_ns == world.now
    start = world.now - timer.elapsed_ns  # synchronized steps come before the turns
    assert timer.span_ns == (start, start + timer.elapsed_ns)
    assert timer.windows
