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


@pytest.fixture
def questions(simulations):
    return importlib.import_module("table_questions")


def test_tables_scatter_as_asked_for_and_blocks_follow_runs(questions, generator):
    tables = questions.Tables(rows=400, columns=5, spread=0.5, follows=0.8)
    rows, scatter = tables.draw(5, generator)
    cells = [cell for row in rows for cell in row.values()]
    runs = np.log([list(cell.runs.values()) for cell in cells])
    assert np.isclose(np.log(scatter).mean(), np.log(0.02), atol=0.03)
    assert np.isclose(np.log(scatter).std(), 0.5, rtol=0.05)
    assert np.isclose((runs.std(axis=1, ddof=1) / scatter.ravel()).mean(), 0.94, rtol=0.03)
    blocks = np.log([cell.block_variance for cell in cells])
    assert np.isclose(np.corrcoef(blocks, np.log(scatter.ravel()))[0, 1], 0.8, atol=0.04)


def test_the_slower_cell_and_no_other_is_slower(questions, generator):
    rows, _ = questions.Tables(rows=2, columns=3, slower={(1, 2): 1000.0}).draw(3, generator)
    slow = [cell.runs[1] > 1000 for row in rows for cell in row.values()]
    assert slow == [False] * 5 + [True]


def test_a_backend_that_is_behind_nowhere_refutes_that_each_is(questions, generator):
    rows, _ = questions.Tables(
        rows=3, columns=2, scatter=1e-4, slower={(0, 1): 2.0, (1, 0): 2.0}
    ).draw(3, generator)
    scatter = questions.whole_tables.plain(rows)
    held = questions.whole_tables.each_is_behind
    assert held(rows, scatter, True) and not held(rows[::2], scatter, True)


def test_every_question_about_tables_has_an_answer(questions, generator):
    found = list(questions.of_tables(60, generator))
    assert len(found) > 60 and all(0 <= finding.share <= 1 for finding in found)
    barred = [finding.what for finding in found if finding.bar]
    assert not any("plain;" in what or "limma" in what for what in barred)
    assert sum("corrected over all rows" in what for what in barred) == 8
    assert questions.moderation.MIN_OWN == 2


def test_what_is_asked_of_nodes_is_answered_by_session_and_node(simulations, generator):
    nodes = importlib.import_module("node_questions")
    found = {finding.what: finding.share for finding in nodes.of_nodes(200, generator)}
    apart = [what for what in found if what.endswith("a ratio has an interval by session and node")]
    assert len(apart) == 2 and not any(found[what] for what in apart)
    twice = {what: share for what, share in found.items() if "3 on each of 2 nodes" in what}
    assert all(("by session" in what) == (share > 0.85) for what, share in twice.items())
