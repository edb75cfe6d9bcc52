"""What is said falsely under ugly noise, and what is shown: a small version of benchmarks/verdicts,
with bounds that chance does not reach, from a seed.
"""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from results_factory import Project, uneven

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "verdicts"
TABLES = 12


@pytest.fixture(scope="module", autouse=True)
def on_the_path():
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))


@pytest.fixture
def generator():
    return np.random.default_rng(1)


@pytest.fixture
def tables(on_the_path):
    return importlib.import_module("tables")


@pytest.fixture
def worlds(on_the_path):
    found = importlib.import_module("worlds").WORLDS
    return {world.words: world for world in found}


# By world: most rows with a false slower, least cover of what is singled out, least power at 5
# and 10 %.
BOUNDS = {
    "even, CV 1 %": (0.03, 0.93, 0.50, 0.65),
    "one column of two modes (± 4 %), others 0.5 %": (0.04, 0.93, 0.20, 0.50),
    "all columns of two modes (± 4 %)": (0.04, 0.93, 0.0, 0.15),
    "one lone cell with five times the scatter (1 %)": (0.03, 0.85, 0.50, 0.65),
    "one cell without scatter, others 1 %": (0.03, 0.93, 0.50, 0.65),
    "two quiet columns (0.3 %) among four noisy ones (3 %)": (0.04, 0.93, 0.15, 0.60),
    "mixture": (0.05, 0.90, 0.12, 0.40),
}


@pytest.mark.parametrize("words", BOUNDS)
def test_three_rounds_say_little_falsely_and_show_what_they_can(tables, worlds, generator, words):
    most_false, least_cover, five, ten = BOUNDS[words]
    found = tables.count(worlds[words], 3, TABLES, generator)
    assert found.rows_with_false_slower <= most_false
    assert found.pairs_cover >= 0.92 and found.affected_pairs_cover >= least_cover
    *_, at_five, at_ten = tables.power(worlds[words], 3, TABLES, generator)
    assert at_five >= five and at_ten >= ten


def test_a_lone_cell_of_two_modes_is_covered_where_its_runs_show_both(tables, worlds, generator):
    """Three processes are all of one mode in a quarter of cells: these alone are lost."""
    found = tables.count(
        worlds["one lone cell of two modes, others 0.5 %"], 3, 4 * TABLES, generator
    )
    assert found.telling_pairs_cover >= 0.93
    assert found.pairs_cover >= 0.93


def test_what_the_rounds_of_each_of_two_starts_share_is_in_the_intervals(tables, worlds, generator):
    two = worlds["rounds of two starts, that shift a cell by half its scatter"]
    assert tables.count(two, 10, TABLES, generator).pairs_cover >= 0.93  # 87 % without


def test_lost_rounds_and_single_runs_do_not_decide(tables, generator):
    assert abs(tables.lost_round(5, TABLES, generator)) <= 0.01
    assert tables.single_run(5, TABLES, generator) == 0


@pytest.mark.parametrize("scatter", [0.02, 0.05])
def test_the_best_of_a_family_is_told_of_its_luck(scatter, generator):
    choice = importlib.import_module("choice")
    assert abs(choice.bias(scatter, 3, 3 * TABLES, generator)) < 0.3 * scatter
    assert choice.falsely_holds(scatter, 3, TABLES, generator) <= 0.05


def test_the_noise_of_a_table_that_was_measured(tmp_path, generator):
    project = Project(tmp_path)
    project.change(uneven)
    results = project.load()  # writes the plan too
    kept = importlib.import_module("kept")
    assert list(kept.most_rounds(project.plan_path)) == [3]
    assert kept.false_slower(project.plan_path, 3, 5, generator) <= 0.2
    assert len(results.rows) == 2


def test_the_number_of_steps_moves_no_mean(generator):
    """Of a step each 50th of which takes four times as long."""
    steps = importlib.import_module("steps")
    found = steps.seen(steps.SPIKES[0], 3, 40, "paper", generator)
    assert abs(found.bias) < 0.006 and found.cells <= 0.05
