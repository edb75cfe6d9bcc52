"""The methods text: what the records say, in words that a paper may have."""

import re

import pytest
from results_factory import Project, make_plan, uneven

from analysis.report.methods_text import methods_text


def test_methods_text_says_what_the_records_say(project):
    project.change(lambda r: r["timing"].update(warmup_steps=7), run=2)
    text = " ".join(methods_text(project.load()))
    assert "After 3 to 7 discarded steps" in text
    assert "100 steps per run were timed in 10 pipelined stretches" in text
    assert "planned before the first of them, from a step of the warm-up. " in text
    assert "95 % Student t interval" in text
    assert "venv with Python 3.11.7" in text


def test_methods_text_says_how_many_steps_were_planned_and_which_runs_were_cut(project):
    bounds = {"min_steps": 20, "max_steps": 100, "cap_s": 1.8, "hard_cap_s": 6.0}
    project.plan["steps"] = bounds
    project.change(lambda r: r["timing"].update(stop="time"))  # fewer than 100 were planned
    said = (
        "as many as fit 1.8 s, at least 20 and at most 100. {} of 36 runs reached the hard cap of"
    )
    assert said.format("None") in methods_text(project.load())[1]
    cut = [{"steps": 2, "elapsed_ns": 10**9}] * 6
    project.change(lambda r: r["timing"].update(blocks=cut), "keras3-jax", run=2)
    assert said.format("2") in methods_text(project.load())[1]
    project.change(lambda r: r["timing"].update(stop="precision"), run=1)
    assert "12 of 36 runs stopped when they were precise" in methods_text(project.load())[1]


def test_methods_text_says_whose_scatter_was_used_and_what_chance_would_show(tmp_path):
    # as many rows as a column's scatter is told by
    rows = tuple(("bert", "fit", batch, 32) for batch in (8, 16, 32, 64))
    project = Project(tmp_path, make_plan(rows=rows))
    project.change(uneven)
    text = " ".join(methods_text(project.load()))
    chance = r"by chance in ([\d.]+)\u00a0% of rows and in ([\d.]+)\u00a0% of such tables"
    of_rows, of_tables = map(float, re.search(chance, text).groups())
    assert of_rows < of_tables < 4 * of_rows  # at least one of four rows
    # two equally likely modes: 2 * (1/2)^3
    assert "3 runs of a cell are all of one in 25\u00a0% of cells" in text
    assert "median variance of the same column, or of the same pair of columns" in text
    for record in project.records.values():
        if record["cell"]["run"] == 3:
            record["identity"] = "{}"
    text = " ".join(methods_text(project.load()))
    own = "The variance is that of the cell's own runs, or of the pair's own rounds, alone."
    assert own in text and "Smyth" not in text  # two runs are left


def test_methods_text_of_one_run_claims_no_interval(tmp_path):
    text = " ".join(methods_text(Project(tmp_path, make_plan(runs=1)).load()))
    assert "no interval is given" in text and "Student" not in text


@pytest.mark.parametrize(
    ("weights", "full_size", "named"),
    [
        ("random", False, "We measured a reduced BERT ("),
        ("preset", False, "We measured BERT, preset bert-base ("),
        ("random", True, "We measured BERT, preset bert-base ("),
    ],
)
def test_methods_text_names_a_preset_where_that_was_measured(project, weights, full_size, named):
    project.plan["weights"] = weights
    for model in project.plan["models"].values():
        model |= {"preset": "bert-base"} | ({"full_size": True} if full_size else {})
    assert methods_text(project.load())[0].startswith(named)
