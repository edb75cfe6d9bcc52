"""What follows from a table: what it shows, what it does not, and how many rounds would show it."""

import json
from functools import partial

import yaml
from drawn_pages import report_of
from record_changes import takes
from results_factory import BERT_ROWS, Project, make_plan

from analysis.comparisons.rounds import undecided
from analysis.formats.strict_json import validate
from analysis.report.conclusion import conclusion
from analysis.results.loading import load_results

TF, JAX, TORCH = "keras3-tensorflow", "keras3-jax", "keras3-torch"


def table(folder, times, rows=BERT_ROWS[:1]):
    """A project of a row in which each column's runs take these ms/step; other rows are quiet."""
    runs = max(map(len, times.values()))
    project = Project(folder, make_plan(columns=tuple(times), rows=rows, runs=runs))
    for column, run_ms in times.items():
        for run, step_ms in enumerate(run_ms, start=1):
            project.change(partial(takes, step_ms=step_ms), column, task="fit", run=run)
    return project


def test_one_run_shows_nothing_and_four_more_rounds_are_asked_for(tmp_path):
    project = table(tmp_path, {TF: [10.0], JAX: [12.0]})
    # 30 s, of which 2 s are steps, 3 s padding's probes at other lengths, and 5 s extras.
    steps = {"timed_s": 10.0, "synchronised_ns": [10**9], "blocks": [block(1, 10**9)]}
    lengths = [probe(8, 3 * 10**9), probe(16, 2 * 10**9)]
    project.change(lambda r: (r["timing"].update(steps), r.update(total_s=30.0, probes=lengths)))
    found = conclusion(project.load())
    assert found.sentences == (
        "Nothing can be called best from one run: how much runs scatter is not known, so there is "
        "no interval.",
    )
    assert found.more.runs == "5"
    validate(json.loads(found.to_json()), "conclusion", "conclusion")
    # 4 rounds of 2 cells without the 5 s: 88, 200 and 7,960 s
    for total_s, told in ((16.0, "88 s"), (30.0, "3 min"), (1000.0, "2.2 h")):
        project.change(lambda r, total_s=total_s: r.update(total_s=total_s))
        text = f"measures 4 more rounds of everything, about {told}, and keeps this one"
        assert conclusion(project.load()).more.text == text


def block(steps, elapsed_ns):
    return {"steps": steps, "elapsed_ns": elapsed_ns}


def probe(batch_size, elapsed_ns):
    return {
        **{"batch_size": batch_size, "max_length": None, "new_tokens": None, "failed": None},
        **block(1, elapsed_ns),
    }


def test_an_undecided_row_says_how_many_more_rounds_and_what_they_cost(tmp_path):
    project = table(tmp_path, {TF: [10.0, 10.2, 10.1], JAX: [10.5, 10.3, 10.9]}, rows=BERT_ROWS)
    results = project.load()
    (row,) = undecided(results)
    assert {cell.column.name for cell in row.cells} == {TF, JAX}
    found = conclusion(results)
    assert found.sentences == (
        "Decided for every column in 1 of 2 rows.",
        f"Not decided in BERT fit; about {row.needed - 3} more rounds would have an even chance or "
        "better of placing every column.",
    )
    assert yaml.safe_load(found.more.runs) == {"default": 3, "bert": {"fit": {8: row.needed}}}
    assert found.more.text.startswith(f"measures up to {row.needed - 3} more rounds of 1 row, ")
    assert found.more.text.endswith(" and keeps what there is")


def test_no_more_is_suggested_than_the_table_took_unless_nothing_else_would_decide(tmp_path):
    """A row that needs eighty rounds does not hide one that needs four."""
    long = {TF: [10.0, 10.6, 10.3], JAX: [10.3, 10.1, 10.9]}
    short = {TF: [10.0, 10.2, 10.1], JAX: [10.5, 10.4, 10.7]}
    project = table(tmp_path, long, rows=BERT_ROWS)
    (alone,) = undecided(project.load())
    assert conclusion(project.load()).more.text.startswith(f"measures up to {alone.needed - 3} ")
    for column, run_ms in short.items():
        for run, step_ms in enumerate(run_ms, start=1):
            project.change(partial(takes, step_ms=step_ms), column, task="predict", run=run)
    fit, predict = undecided(project.load())
    assert predict.needed < 9 < fit.needed  # the table took six rounds of one row
    more = conclusion(project.load()).more
    assert yaml.safe_load(more.runs) == {"default": 3, "bert": {"predict": {16: predict.needed}}}
    assert more.text.startswith(f"measures up to {predict.needed - 3} more rounds of 1 row, ")
    left = "not of BERT fit, with which it would take longer than the table did"
    assert more.text.endswith(f" and keeps what there is; {left}")


def test_the_rounds_that_are_predicted_would_have_decided_it(tmp_path):
    """The same scatter, repeated: what was told to be enough is, by the table's own rule."""
    times = {TF: [10.0, 10.2, 10.1], JAX: [10.5, 10.3, 10.9]}
    (row,) = undecided(table(tmp_path / "few", times).load())
    rounds = -(-row.needed // 3)
    more = {column: run_ms * rounds for column, run_ms in times.items()}
    assert undecided(table(tmp_path / "more", more).load()) == []


def test_wild_runs_take_no_sensible_number(tmp_path):
    times = {TF: [10.0, 10.01, 9.99], JAX: [10.0, 13.0, 8.0]}
    found = conclusion(table(tmp_path, times).load())
    assert "even 100 rounds would probably not place every column" in found.sentences[-1]
    assert found.more is None


def test_rows_of_one_outcome_are_told_together(tmp_path):
    wild = {TF: [10.0, 10.01, 9.99], JAX: [10.0, 13.0, 8.0]}
    close = {TF: [10.0, 10.2, 10.1], JAX: [10.5, 10.3, 10.9]}
    rows = tuple(("bert", "fit", batch, 32) for batch in (8, 16, 32))
    project = table(tmp_path, wild, rows=rows)
    for record in project.records.values():
        cell = record["cell"]
        if cell["batch_size"] < 32:
            takes(record, close[cell["column"]][cell["run"] - 1])
    (one, other) = [found for found in undecided(project.load()) if found.needed]
    more, never = conclusion(project.load()).sentences[1:]
    assert one.needed == other.needed
    assert more.startswith(f"Not decided in {one.row.row.label} and {other.row.row.label}; about ")
    named = "BERT fit (batch 32)"
    assert (
        never == f"Not decided in {named}; even 100 rounds would probably not place every column."
    )


def test_what_is_shown_asks_for_nothing_more_and_what_is_missing_comes_first(tmp_path):
    project = table(tmp_path, {TF: [10.0, 10.01, 10.02], JAX: [12.0, 12.01, 12.02]})
    assert conclusion(project.load()).more is None
    one = table(tmp_path / "one", {TF: [10.0], JAX: [12.0]})
    one.save()
    (one.folder / next(iter(one.records))).unlink()
    assert conclusion(load_results(one.plan_path)).more is None


def test_what_took_less_is_compared_once_its_runs_are_there(tmp_path):
    """No record is removed for a verdict that the next runs bring."""
    times = {TF: [12.0, 12.01, 12.02], TORCH: [13.0, 13.01, 13.02], JAX: [10.0, 10.01, 10.02]}
    project = table(tmp_path, times)
    project.save()
    for number in (2, 3):
        next(tmp_path.rglob(f"{JAX}/run{number}.json")).unlink()
    found = conclusion(load_results(project.plan_path))
    assert found.sentences[-1] == (
        "Not decided in BERT fit; Keras 3 (JAX) took less and cannot be compared yet."
    )


def test_the_report_has_it_below_the_table(tmp_path, figures):
    project = table(tmp_path, {TF: [10.0, 10.2, 10.1], JAX: [10.5, 10.3, 10.9]})
    page = report_of(project, figures)
    assert "Not decided in BERT fit; about " in page
    assert "<code>--config 'runs=" in page
