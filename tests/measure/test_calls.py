"""Python calls of a step: exact, without the first steps and without our own functions."""

import gc
import sys

import pytest

from millistep.measure.extras import COUNTED, WARM, calls


def once():
    return 1


def helper(depth):
    return helper(depth - 1) if depth else 0


class Loop:
    """Calls `helper` three times and a built-in function in each step, `once` in the first."""

    steps, batches_per_tick = 0, 1

    def run(self, clock):
        clock.start()
        once()
        while not clock.tick():
            self.step()

    def step(self):
        self.steps += 1
        len([helper(2)])


def test_calls_of_a_step_are_counted_by_function():
    loop = Loop()
    found = calls(loop)
    assert loop.steps == WARM + COUNTED
    assert found == {
        "steps": COUNTED,
        "per_step": 4.0,
        "functions": [
            {"name": f"{__name__}.{name}", "per_step": number}
            for name, number in (("helper", 3.0), ("Loop.step", 1.0))
        ],
    }


def test_calls_are_those_of_one_step_where_a_tick_has_several():
    loop = Loop()
    loop.batches_per_tick = 4
    found = calls(loop)
    assert (found["steps"], found["per_step"]) == (4 * COUNTED, 1.0)


def test_calls_that_happen_by_chance_in_a_few_steps_do_not_count():
    class Waiting(Loop):
        def step(self):
            super().step()
            if self.steps in (WARM + 3, WARM + 4):
                once()

    chance, never = calls(Waiting()), calls(Loop())
    assert chance["per_step"] == never["per_step"] + 1  # the method of this class
    assert not any(each["name"].endswith("once") for each in chance["functions"])


def test_every_count_is_the_same():
    gc.collect()
    first = calls(Loop())
    assert all(calls(Loop()) == first for _ in range(50))


def test_counting_ends_with_the_loop():
    class Broken(Loop):
        def step(self):
            super().step()
            if self.steps > WARM + 1:
                raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        calls(Broken())
    assert sys.getprofile() is None
