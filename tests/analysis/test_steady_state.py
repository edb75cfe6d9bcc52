"""Classes of series whose course is known, of runs and of cells."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_changes import stretch, takes
from results_factory import Project, make_plan

from analysis.statistics.steady_state import (
    MIN_BLOCKS,
    Steadiness,
    SteadyState,
    change_points,
    noise,
    of_runs,
    steadiness,
    without_spikes,
)
from measure import timer

MS = 1_000_000


def blocks(*step_ms, steps=10):
    return [(steps, round(steps * value * MS)) for value in step_ms]


def jittered(levels, share=0.002, seed=1):
    """Levels in ms with noise of a share of a step, the same every time."""
    generator = random.Random(seed)
    return blocks(*(level * math.exp(generator.gauss(0, share)) for level in levels))


@pytest.mark.parametrize(
    ("levels", "state", "is_steady"),
    [
        ([10] * 10, SteadyState.FLAT, True),
        ([10.05] * 5 + [10] * 5, SteadyState.FLAT, True),  # a shift, but of half a per cent
        ([10] * 4 + [11] + [10] * 5, SteadyState.FLAT, True),  # a spike of one block
        ([10] * 9 + [12], SteadyState.FLAT, True),  # ... also at the end
        ([12] * 5 + [10] * 5, SteadyState.WARM_UP, True),  # and not in the mean
        ([14] + [10] * 9, SteadyState.WARM_UP, True),  # one slow block at the start is no spike
        ([10.4] * 2 + [10] * 18, SteadyState.WARM_UP, True),
        ([10] * 4 + [11] * 4 + [10] * 12, SteadyState.WARM_UP, True),
        ([10] * 5 + [11] * 5, SteadyState.SLOWDOWN, False),
        ([10] * 4 + [10.5] * 16, SteadyState.SLOWDOWN, False),  # mean within 1 %, yet it slowed
        ([12] * 5 + [10] * 5 + [11] * 5, SteadyState.SLOWDOWN, False),
        ([10] * 18 + [11] * 2, SteadyState.NONE, False),
        ([12] * 8 + [10] * 2, SteadyState.NONE, False),
        ([10 + 0.5 * i for i in range(20)], SteadyState.SLOWDOWN, False),  # ever slower
        ([20] * 6 + [10], SteadyState.NOT_TESTED, True),  # seven blocks
    ],
)
def test_classes(levels, state, is_steady):
    found = steadiness(jittered(levels))
    assert (found.state, found.steady) == (state, is_steady)


def test_the_final_level_and_the_mean_over_steps_by_hand():
    # 4 of 12 blocks at 12 ms, 8 at 10 ms: mean 128/12 = 10.667
    found = steadiness(blocks(*[12.0] * 4, *[10.0] * 8))
    assert (found.blocks, found.tail_blocks) == (12, 8)
    assert found.mean_over_tail == pytest.approx(128 / 120)
    # 1 step of 20 ms before 9 blocks of 10 steps of 10 ms: 920 / 91 = 10.11, 1.1 % above 10
    found = steadiness([(1, 20 * MS), *blocks(*[10.0] * 9)])
    assert found.state is SteadyState.WARM_UP
    assert found.mean_over_tail == pytest.approx(920 / 910)
    assert (found.steady, found.warm_up) == (True, 1)


def test_running_medians_by_hand():
    assert without_spikes([9, 1, 1, 7, 1, 2, 8]) == [9, 1, 1, 1, 2, 2, 2]


def test_noise_by_hand():
    # differences 0.01, 0.02, 0.03, 0.04, 1: upper quartile 0.04
    values = [0, 0.01, 0.03, 0.06, 0.10, 1.10]
    assert noise(values) == pytest.approx(0.04 / 1.6269)
    assert noise([1.0] * 9) == 0.0025


def test_a_change_point_costs_15_ln_n():
    # 8 blocks, half of them shifted by s: the gain is 8/4 s^2, the cost 15 ln 8 = 31.19
    threshold = math.sqrt(15 * math.log(8) / 2)
    for factor, found in ((0.999, [0]), (1.001, [0, 4])):
        assert change_points([0.0] * 4 + [factor * threshold] * 4, 1.0) == found


def run(state, course=0.0):
    return Steadiness(state, 10, 10, 1.0, course)


FLAT, WARM = run(SteadyState.FLAT), run(SteadyState.WARM_UP)
SLOW, UNTESTED = run(SteadyState.SLOWDOWN), run(SteadyState.NOT_TESTED, None)


@pytest.mark.parametrize(
    ("runs", "state", "is_steady"),
    [
        ([FLAT, FLAT], SteadyState.FLAT, True),
        ([WARM], SteadyState.WARM_UP, True),
        ([FLAT, WARM, WARM], SteadyState.WARM_UP, True),
        ([FLAT, WARM], SteadyState.INCONSISTENT, True),  # one of two: a rare slow step, or not
        ([SLOW], SteadyState.SLOWDOWN, False),
        ([SLOW, FLAT], SteadyState.INCONSISTENT, True),
        ([SLOW, SLOW, FLAT], SteadyState.SLOWDOWN, False),
        ([SLOW, SLOW, FLAT, FLAT, FLAT], SteadyState.INCONSISTENT, True),
        ([FLAT, UNTESTED], SteadyState.NOT_TESTED, True),
    ],
)
def test_most_runs_decide(runs, state, is_steady):
    found = of_runs(runs)
    assert (found.state, found.steady) == (state, is_steady)


@pytest.mark.parametrize(
    ("courses", "state"),
    [
        ([0.04, 0.05, 0.045], SteadyState.WARM_UP),  # in every run the first half took 4 % longer
        ([-0.04, -0.05, -0.045], SteadyState.SLOWDOWN),
        ([0.008, 0.008, 0.008], None),  # less than 1 %
        ([0.04, -0.03, 0.05], None),  # now so, now so
        ([0.04, 0.05], None),  # of two runs nothing is shown
    ],
)
def test_what_every_run_does_is_found_although_no_run_shows_it(courses, state):
    found = of_runs([run(SteadyState.FLAT, course) for course in courses])
    assert (found.steady, found.state) == (
        (True, SteadyState.FLAT) if not state else (False, state)
    )


def wandering(memory, generator, steps=100, of=3, share=0.02):
    """Blocks of steps that remember the ones before (AR(1)), all around 10 ms."""
    found, value = [], generator.gauss(0, 1)
    for _ in range(steps):
        value = memory * value + math.sqrt(1 - memory**2) * generator.gauss(0, 1)
        found.append(10 * math.exp(share * value))
    return blocks(*(sum(found[i : i + of]) / of for i in range(0, steps - of + 1, of)), steps=of)


@pytest.mark.parametrize("memory", [0.0, 0.6, 0.9])
@pytest.mark.parametrize(("steps", "of"), [(20, 2), (100, 3), (100, 10)])
def test_steps_that_remember_are_hardly_ever_called_unsteady(memory, steps, of):
    generator = random.Random(1)
    found = [steadiness(wandering(memory, generator, steps, of)) for _ in range(300)]
    assert sum(not each.steady for each in found) <= 0.05 * len(found)
    cells = [of_runs(found[i : i + 5]) for i in range(0, 300, 5)]
    assert sum(not cell.steady for cell in cells) <= 0.05 * len(cells)


def test_a_slow_decay_is_found_over_the_runs():
    """From + 10 %, with a time constant of as many steps as there are."""
    generator = random.Random(2)

    def one():
        levels = [10 * (1 + 0.1 * math.exp(-block / 33)) for block in range(33)]
        return blocks(*(level * math.exp(generator.gauss(0, 0.006)) for level in levels))

    found = of_runs([steadiness(one()) for _ in range(3)])
    assert not found.steady and found.state is SteadyState.WARM_UP


def test_the_harness_plans_as_many_blocks_as_are_tested():
    assert MIN_BLOCKS == timer.MIN_BLOCKS


@st.composite
def random_runs(draw):
    """Blocks on a few levels with noise, spikes and unequal numbers of steps."""
    generator = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0001, 0.002, 0.01, 0.05]))
    levels = draw(
        st.lists(st.tuples(st.integers(1, 25), st.floats(0.9, 1.1)), min_size=1, max_size=6)
    )
    spikes = draw(st.sampled_from([0, 0.1]))
    found = []
    for length, level in levels:
        for _ in range(length):
            steps = generator.randint(1, 10)
            factor = 1.3 if generator.random() < spikes else 1
            step_ns = 1e7 * level * factor * math.exp(generator.gauss(0, share))
            found.append((steps, round(steps * step_ns)))
    return found


@settings(max_examples=200, deadline=None)
@given(random_runs(), st.floats(0.01, 100))
def test_units_do_not_matter(run, factor):
    assert steadiness([(steps, elapsed_ns * factor) for steps, elapsed_ns in run]).state is (
        steadiness(run).state
    )


@settings(max_examples=200, deadline=None)
@given(random_runs())
def test_a_classification_is_consistent(run):
    found = steadiness(run)
    assert 1 <= found.tail_blocks <= found.blocks == len(run)
    assert (found.state is SteadyState.NOT_TESTED) == (len(run) < MIN_BLOCKS)
    if found.state is SteadyState.FLAT:
        assert found.tail_blocks == found.blocks and found.mean_over_tail == 1


@pytest.mark.parametrize(("runs", "step_ms"), [((1, 2, 3), 10.0), ((2,), None)])
def test_warm_up_leaves_the_mean_where_most_runs_show_it(tmp_path, runs, step_ms):
    """The first two of ten blocks take a tenth longer: 2 % of the mean."""
    project = Project(tmp_path, make_plan(rows=(("bert", "fit", 8, 32),)))

    def change(record):
        takes(record, 10.0)
        stretch(record, 1.1, slice(2))

    for number in runs:
        project.change(change, column="keras3-jax", run=number)
    (cell,) = [c for c in project.load().cells if c.column.name == "keras3-jax"]
    means = [run.step_ms for run in cell.runs if run.number in runs]
    assert means == pytest.approx([step_ms or 10.2] * len(runs))
