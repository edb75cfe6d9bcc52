"""The timer against a clock that the test turns."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.protocol import PROTOCOLS
from measure.timer import MIN_BLOCKS, Timer, block_size, planned_steps

MS = 1_000_000


class World:
    """A device that works asynchronously: a step is issued at once and done later."""

    def __init__(self, step_ns, issue_ns=0, compile_at=()):
        self.now = 0
        self.device_free_at = 0
        self.step_ns, self.issue_ns = step_ns, issue_ns
        self.compile_at = set(compile_at)
        self.steps = self.compiled = self.fences = self.slower_until = 0

    def step(self):
        self.steps += 1
        self.now += self.issue_ns
        cost = self.step_ns * (2 if self.steps <= self.slower_until else 1)
        if self.steps in self.compile_at:
            self.compiled += 1
            cost += 1000 * MS
        self.device_free_at = max(self.device_free_at, self.now) + cost

    def fence(self):
        self.fences += 1
        self.now = max(self.now, self.device_free_at)

    def late(self):
        left = max(0, self.device_free_at - self.now)
        self.now += left
        return left

    def time(self, protocol, **options):
        options["clock"] = lambda: self.now
        timer = Timer(protocol, self.fence, lambda: self.compiled, **options)
        timer.start()
        while not timer.tick():
            self.step()
        return timer


SMOKE = PROTOCOLS["smoke"]


def test_asynchronous_steps_are_timed_in_full():
    world = World(step_ns=20 * MS, issue_ns=MS)
    timer = world.time(SMOKE)
    # The first step of a block is issued while the device idles after the fence.
    assert timer.step_ns == pytest.approx(20 * MS, rel=0.03)
    assert timer.first_step_ns == 21 * MS


@pytest.mark.parametrize(
    ("step_ms", "steps", "elapsed_s"),
    [(10, 100, 1.0), (100, 30, 3), (220, 20, 4.4), (650, 10, 6.5)],
)
def test_time_allows_as_many_steps_as_a_step_of_the_warm_up_says(step_ms, steps, elapsed_s):
    laptop = dataclasses.replace(PROTOCOLS["laptop"], cap_s=3.0, hard_cap_s=6.0)
    timer = World(step_ns=step_ms * MS).time(laptop)
    assert (timer.stop, timer.steps) == ("steps" if steps == 100 else "time", steps)
    assert sum(ns for _, ns in timer.blocks) / 1e9 == pytest.approx(elapsed_s)


@given(slow=st.sets(st.integers(4, 200)), times=st.integers(2, 20))
def test_what_the_timed_steps_take_does_not_change_how_many_there_are(slow, times):
    """Below the hard cap: rare slow steps, wherever they fall, do not end a run earlier."""
    world, plain = World(step_ns=20 * MS), World(step_ns=20 * MS)
    original = world.step

    def step():
        world.step_ns = 20 * MS * (times if world.steps + 1 in slow else 1)
        original()

    world.step = step
    protocol = dataclasses.replace(PROTOCOLS["laptop"], hard_cap_s=1e6)
    assert world.time(protocol).steps == plain.time(protocol).steps


@given(step_ns=st.integers(0, 10**12), scale=st.sampled_from(sorted(PROTOCOLS)))
def test_enough_blocks_are_planned_to_judge_them_by(step_ns, scale):
    protocol = PROTOCOLS[scale]
    planned = planned_steps(protocol, step_ns)
    assert protocol.min_steps <= planned <= protocol.max_steps
    assert planned >= MIN_BLOCKS * block_size(protocol, step_ns)


def test_what_a_lost_fence_leaves_to_do_is_timed_behind_each_block():
    world = World(step_ns=20 * MS, issue_ns=MS)
    timer = world.time(SMOKE, late=world.late)
    assert timer.late_ns == [0] * len(timer.blocks)
    world.fence = lambda: None
    timer = world.time(SMOKE, late=world.late)
    blocks = zip(timer.blocks, timer.late_ns, strict=True)
    per_step = [(elapsed + late) / steps for (steps, elapsed), late in blocks]
    # The first block also ends what the warm-up has left.
    assert per_step[1:] == pytest.approx([20 * MS] * (len(per_step) - 1), rel=0.06)


def test_two_steps_after_the_last_compilation_are_discarded():
    timer = World(step_ns=MS, compile_at=(1, 2, 4)).time(SMOKE)
    assert timer.warmup_steps == 6
    assert (timer.compilations_before, timer.compilations_during) == (3, 0)
    assert timer.step_ns == MS
    assert World(step_ns=MS, compile_at=(1, 9)).time(SMOKE).compilations_during == 1


def test_very_long_steps_stop_at_the_cap():
    laptop = PROTOCOLS["laptop"]
    timer = World(step_ns=3_000 * MS).time(laptop)
    assert timer.stop == "time"
    assert timer.step_ns == 3_000 * MS
    assert len(timer.synchronised_ns) == 1


@given(
    step_ns=st.integers(1_000, 10**10),
    compile_at=st.sets(st.integers(1, 40)),
    scale=st.sampled_from(sorted(PROTOCOLS)),
)
def test_every_nanosecond_is_accounted_for(step_ns, compile_at, scale):
    world = World(step_ns, compile_at=compile_at)
    timer = world.time(PROTOCOLS[scale])
    accounted = timer.first_step_ns + timer.warmup_ns + timer.timed_ns
    assert accounted == world.now - timer.started_ns == world.now
    start = timer.started_ns + timer.first_step_ns + timer.warmup_ns
    assert timer.window_ns == (start, start + sum(ns for _, ns in timer.blocks))
    steps = timer.warmup_steps + sum(n for n, _ in timer.blocks) + len(timer.synchronised_ns)
    assert steps == world.steps
    assert timer.steps <= PROTOCOLS[scale].max_steps
    assert timer.blocks
