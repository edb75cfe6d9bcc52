"""The timer against a clock that the test turns."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.protocol import PROTOCOLS
from measure.timer import Timer, block_size, relative_standard_error

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


def test_the_window_is_announced_once_between_the_warm_up_and_the_first_block():
    world, announced = World(step_ns=20 * MS), []
    timer = Timer(
        SMOKE,
        world.fence,
        lambda: world.compiled,
        on_window=lambda: announced.append((timer.warmup_steps, len(timer.blocks), world.steps)),
        clock=lambda: world.now,
    )
    timer.start()
    while not timer.tick():
        world.step()
    assert announced == [(timer.warmup_steps, 0, timer.warmup_steps)]


def test_steps_that_are_not_steady_are_timed_as_long_again_once():
    laptop = dataclasses.replace(PROTOCOLS["laptop"], max_steps=40, floor_s=10.0)
    world = World(step_ns=20 * MS)
    world.slower_until = 30
    timer = world.time(laptop)
    assert (timer.extended, timer.steps, timer.stop) == (True, 80, "steps")
    assert sum(ns for _, ns in timer.blocks) == (80 + 27) * 20 * MS
    assert not World(step_ns=20 * MS).time(laptop).extended
    world = World(step_ns=20 * MS)
    world.slower_until = 30
    assert world.time(dataclasses.replace(laptop, extends=False)).steps == 40


@pytest.mark.parametrize(
    ("step_ms", "blocks", "elapsed_s"), [(100, 15, 3), (220, 10, 4), (650, 5, 7)]
)
def test_time_ends_a_run_once_it_has_the_least_of_steps_and_blocks(step_ms, blocks, elapsed_s):
    laptop = dataclasses.replace(PROTOCOLS["laptop"], cap_s=3.0, hard_cap_s=6.0, precision=0.0)
    timer = World(step_ns=step_ms * MS).time(laptop)
    assert (timer.stop, len(timer.blocks)) == ("time", blocks)
    assert sum(ns for _, ns in timer.blocks) / 1e9 == pytest.approx(elapsed_s, rel=0.2)


def test_the_timed_window_reaches_from_the_first_block_to_the_last():
    timer = World(step_ns=20 * MS, issue_ns=MS).time(SMOKE)
    start, end = timer.window_ns
    assert start == timer.started_ns + timer.first_step_ns + timer.warmup_ns
    assert end - start == sum(ns for _, ns in timer.blocks)


def test_without_a_fence_the_same_steps_would_look_free():
    world = World(step_ns=20 * MS, issue_ns=MS)
    world.fence = lambda: None
    assert world.time(SMOKE).step_ns == MS


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


def test_synchronised_steps_have_a_fence_each():
    timer = World(step_ns=20 * MS, issue_ns=MS).time(SMOKE)
    assert timer.synchronised_ns == [21 * MS] * SMOKE.synchronised_steps


def test_two_steps_after_the_last_compilation_are_discarded():
    timer = World(step_ns=MS, compile_at=(1, 2, 4)).time(SMOKE)
    assert timer.warmup_steps == 6
    assert timer.compilations_before == 3
    assert timer.compilations_during == 0
    assert timer.step_ns == MS


def test_a_compilation_inside_the_timed_window_is_seen():
    timer = World(step_ns=MS, compile_at=(1, 9)).time(SMOKE)
    assert timer.compilations_during == 1


def test_a_framework_that_never_settles_is_timed_all_the_same():
    timer = World(step_ns=MS, compile_at=range(1, 10_000)).time(SMOKE)
    assert timer.compilations_during > 0
    assert timer.blocks


def test_steady_steps_stop_for_precision_and_noisy_ones_at_the_published_number():
    laptop = PROTOCOLS["laptop"]
    assert World(step_ns=100 * MS).time(laptop).stop == "precision"
    timer = jittery(laptop, step_ms=10)
    assert timer.stop == "steps"
    assert sum(steps for steps, _ in timer.blocks) == laptop.max_steps


def jittery(protocol, step_ms):
    """Every other block takes twice as long."""
    world = World(step_ns=step_ms * MS)
    original = world.step

    def step():
        world.step_ns = step_ms * MS * (1 + (world.steps // 10) % 2)
        original()

    world.step = step
    return world.time(protocol)


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
    assert accounted == world.now == timer.ended_ns - timer.started_ns
    steps = timer.warmup_steps + sum(n for n, _ in timer.blocks) + len(timer.synchronised_ns)
    assert steps == world.steps
    assert timer.steps <= PROTOCOLS[scale].max_steps * (2 if timer.extended else 1)
    assert timer.blocks


@given(step_ns=st.integers(0, 10**11), scale=st.sampled_from(sorted(PROTOCOLS)))
def test_blocks_let_steps_overlap_and_leave_several_blocks(step_ns, scale):
    size = block_size(PROTOCOLS[scale], step_ns)
    least = 1 if step_ns > PROTOCOLS[scale].cap_s * 1e9 else 2
    assert least <= size <= PROTOCOLS[scale].max_steps // 2


def test_relative_standard_error_by_hand():
    # means 10, 12, 14: variance 4, standard error 2 / sqrt(3), mean 12
    blocks = [(2, 20), (2, 24), (2, 28)]
    assert relative_standard_error(blocks) == pytest.approx(2 / 3**0.5 / 12)
    assert relative_standard_error(blocks[:2]) == float("inf")


def test_progress_is_told_between_blocks_only():
    world = World(step_ns=600 * MS)
    fences_when_told = []
    timer = Timer(
        dataclasses.replace(PROTOCOLS["laptop"], cap_s=10.0, hard_cap_s=20.0),
        world.fence,
        lambda: 0,
        on_block=lambda t: fences_when_told.append((world.fences, len(t.blocks))),
        clock=lambda: world.now,
    )
    timer.start()
    while not timer.tick():
        world.step()
    assert fences_when_told
    first_block_fence = 1 + PROTOCOLS["laptop"].warmup_steps
    assert all(fences == first_block_fence + blocks for fences, blocks in fences_when_told)
