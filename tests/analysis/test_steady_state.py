"""Classes of series whose course is known, and agreement with what the harness decides."""

import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.statistics import steady_state
from analysis.statistics.steady_state import (
    MIN_BLOCKS,
    Steadiness,
    SteadyState,
    change_points,
    noise,
    steadiness,
    without_spikes,
    worst,
)
from measure import steady

MS = 1_000_000
WORKFLOW = Path(__file__).resolve().parents[2] / "workflow"


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
        ([12] * 5 + [10] * 5, SteadyState.WARM_UP, False),
        ([14] + [10] * 9, SteadyState.WARM_UP, False),  # one slow block at the start is no spike
        ([10.4] * 2 + [10] * 18, SteadyState.WARM_UP, True),  # moves the mean by 0.4 %
        ([10] * 4 + [11] * 4 + [10] * 12, SteadyState.WARM_UP, False),
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
    assert steady.is_steady(jittered(levels)) is is_steady


def test_the_final_level_and_the_mean_by_hand():
    # 4 of 12 blocks at 12 ms, 8 at 10 ms: mean 128/12 = 10.667
    found = steadiness(blocks(*[12.0] * 4, *[10.0] * 8))
    assert (found.blocks, found.tail_blocks) == (12, 8)
    assert found.mean_over_tail == pytest.approx(128 / 120)


def test_blocks_weigh_by_their_steps_in_the_mean():
    # 1 step of 20 ms before 9 blocks of 10 steps of 10 ms: 920 / 91 = 10.11, 1.1 % above 10
    found = steadiness([(1, 20 * MS), *blocks(*[10.0] * 9)])
    assert found.state is SteadyState.WARM_UP
    assert found.mean_over_tail == pytest.approx(920 / 910)
    assert not found.steady


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


def test_the_worst_run_decides():
    flat = Steadiness(SteadyState.FLAT, 10, 10, 1.0)
    harmless = Steadiness(SteadyState.WARM_UP, 20, 18, 1.004)
    slow = Steadiness(SteadyState.SLOWDOWN, 10, 5, 0.95)
    untested = Steadiness(SteadyState.NOT_TESTED, 4, 4, 1.0)
    assert worst([flat, harmless]) is harmless
    assert worst([slow, untested, flat]) is slow
    assert worst([flat, untested]) is untested


def test_harness_and_analysis_have_the_same_constants():
    for name in ("MIN_BLOCKS", "PENALTY", "EQUIVALENT", "QUIET", "UPPER_QUARTILE"):
        assert getattr(steady, name) == getattr(steady_state, name)


def test_a_quiet_table_needs_no_ruptures():
    program = (
        "import sys; from analysis.statistics.steady_state import steadiness;"
        "steadiness([(10, 100_000_000)] * 10); sys.exit('ruptures' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=WORKFLOW)


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


@settings(max_examples=500, deadline=None)
@given(random_runs())
def test_harness_and_analysis_agree(run):
    assert steady.is_steady(run) is steadiness(run).steady


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
