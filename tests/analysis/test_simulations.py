"""What the simulations simulate is what they say."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(__file__).resolve().parents[2] / "benchmarks" / "simulations.py"


@pytest.fixture(scope="module")
def simulations():
    spec = importlib.util.spec_from_file_location("simulations", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def generator():
    return np.random.default_rng(1)


def test_a_round_visits_every_column_once_and_rounds_follow_each_other(simulations, generator):
    places = simulations.SIX.positions(50, 3, generator) * (6 * 3 - 1)
    for number in range(3):
        found = np.sort(places[:, :, number], axis=1)
        assert np.allclose(found, np.arange(6) + 6 * number)
    assert len({tuple(order) for order in places[:, :, 0]}) > 10


def test_fixed_order_ends_a_column_before_the_next_begins(simulations, generator):
    places = simulations.FIXED.positions(2, 3, generator)[0]
    assert np.allclose(places.ravel() * 17, np.arange(18))


def test_noise_is_as_large_and_as_persistent_as_asked_for(simulations, generator):
    logs = np.log(simulations.PAIR.steps_ns(500, 2, generator) / simulations.STEP_NS)
    levels = logs.mean(axis=-1, keepdims=True)
    steps = logs - levels
    assert np.isclose(steps.std(), simulations.WITHIN, rtol=0.05)
    neighbours = (steps[..., 1:] * steps[..., :-1]).mean() / (steps**2).mean()
    assert np.isclose(neighbours, simulations.MEMORY, atol=0.05)
    # the mean of 100 steps scatters by 1.5 % / 10 * sqrt(1.6 / 0.4) on top of the 0.6 %
    assert np.isclose(levels.std(), np.hypot(0.006, 0.003), rtol=0.05)


def test_a_bar_is_missed_on_either_side(simulations):
    for share, missed in ((0.929, True), (0.93, False), (0.97, False), (0.971, True)):
        assert simulations.Finding("", 3, share, simulations.COVERS).missed is missed
    assert not simulations.Finding("", 3, 0.5).missed


def test_every_question_has_an_answer(simulations, generator):
    for what, world, happens, _ in simulations.QUESTIONS:
        row = next(world.rows(simulations.CHUNK, 3, generator))
        assert happens(row) in (True, False), what


def test_what_is_asked_of_nodes_is_answered_by_session_and_node(simulations, generator):
    nodes = importlib.import_module("node_questions")
    found = {finding.what: finding.share for finding in nodes.of_nodes(200, generator)}
    apart = [what for what in found if what.endswith("a ratio has an interval by session and node")]
    assert len(apart) == 2 and not any(found[what] for what in apart)
    twice = {what: share for what, share in found.items() if "3 on each of 2 nodes" in what}
    assert all(("by session" in what) == (share > 0.85) for what, share in twice.items())
