"""The published table, run through the same code as ours, bears out the claims made about it."""

import csv

import pytest
from record_changes import slow_down
from results_factory import FRAMEWORKS, Project, make_plan

from analysis.comparisons.findings import findings
from analysis.comparisons.speedups import speedups
from analysis.formats.errors import InputError
from analysis.results.reference import REFERENCE, load_reference
from analysis.tables.published import published_table
from analysis.tables.writers import table_csv

REVISION = {"keras2": "current", "keras3": "current", "pytorch": "2024-04"}


@pytest.fixture(scope="module")
def reference():
    return load_reference()


@pytest.fixture(scope="module")
def published(tmp_path_factory, reference):
    """A project whose one run of each cell measured exactly what was published."""
    rows = list(dict.fromkeys(key[:3] for key in reference.step_ms["current"]))
    plan = make_plan(runs=1, rows=[(*row, row[2]) for row in rows])
    project = Project(tmp_path_factory.mktemp("published"), plan)
    for cell in plan["cells"]:
        key = (cell["model"], cell["task"], cell["batch_size"], cell["column"])
        value = reference.step_ms[REVISION[FRAMEWORKS[cell["column"]][1]]][key]
        for run in cell["runs"]:
            if value is None:
                del project.records[run["record"]]
            else:
                blocks = [{"steps": 100, "elapsed_ns": round(value * 1e8)}]
                project.records[run["record"]]["timing"]["blocks"] = blocks
        if value is None:
            cell.update(unsupported="NA on the page", runs=[])
    return project.load()


def gain(ratio):
    return f"{100 * (ratio - 1):+.0f}\u00a0%"


def gains(entries):
    return {entry.row.row.key: gain(entry.gain.value) for entry in entries if entry.gain}


def test_speedups_over_keras2_are_the_claimed_ones(published, reference):
    entries = speedups(published.rows, "keras2", reference)
    found = gains(entries)
    assert len(found) == 6  # "6 of 6 rows that have Keras 2"
    assert [e.missing for e in entries if e.missing] == ["Keras 2 unsupported"] * 6
    assert found["sam", "predict", 4] == "+394\u00a0%"
    # 1023.21 / 391.21 - 1 = 161.55 %: "more than +150 %" on the page
    assert found["stable_diffusion", "fit", 8] == "+162\u00a0%"
    assert found["bert", "fit", 32] == "+127\u00a0%"
    values = sorted(entry.gain.value for entry in entries if entry.gain)
    assert (values[0], values[-1]) == (
        pytest.approx(1.05, abs=0.006),
        pytest.approx(4.94, abs=0.006),
    )


def test_ours_equal_to_published_gives_the_published_speedup(published, reference):
    for family in ("keras2", "pytorch"):
        for entry in speedups(published.rows, family, reference):
            ours = entry.gain and entry.gain.value
            assert ours == pytest.approx(entry.published) if ours else entry.missing


def test_rows_that_are_slower_than_pytorch_are_the_claimed_ones(published, reference):
    # "10 tasks": of generation the page's text counts one batch size
    tasks = [row for row in published.rows if row.row.key[1:] != ("generate", 1)]
    values = [entry.gain.value for entry in speedups(tuple(tasks), "pytorch", reference)]
    slower = sorted(gain(value) for value in values if value < 1)
    assert slower == ["-1\u00a0%", "-5\u00a0%", "-6\u00a0%", "-9\u00a0%"]


def test_five_best_calls_rest_on_gaps_under_two_per_cent(published):
    gaps = {}
    for row in published.rows:
        first, second, *_ = sorted(c.step_ms for c in row.measured if c.column.family == "keras3")
        gaps[row.row.key] = round(100 * (second / first - 1), 2)
    assert sorted(gap for gap in gaps.values() if gap < 2) == [0.26, 0.59, 0.92, 1.81, 1.82]


def test_published_table_labels_both_lines_and_ranks_nothing(project, reference):
    project.fail("oom", "killed", column="keras3-jax", task="fit", run=1)
    table = published_table(project.load(), reference)
    lost = (
        "mean of 2 of 3 runs, as if it had every round of its row; run 1 oom: MemoryError: killed"
    )
    assert table.notes == [("a", lost)]
    assert table.marks(table.rows[0].cells[2]) == ["a"]
    assert [row.labels for row in table.rows[:2]] == [
        ("BERT fit", "this run: Example CPU", "8"),
        ("BERT fit", "published: A100 40 GB", "32"),
    ]
    assert not any(cell.best for row in table.rows for cell in row.cells)
    assert "one A100 40 GB (a2-highgpu-1g, 12 vCPU, 85 GB)" in table.caption
    lines = list(csv.DictReader(table_csv(table).splitlines()))
    assert lines[8]["ms_per_step"] == "222.37" and lines[8]["batch_size"] == "32"


def test_row_without_published_counterpart_prints_na(tmp_path, reference):
    plan = make_plan(rows=(("bert", "fit", 8, None),))
    table = published_table(Project(tmp_path, plan).load(), reference)
    assert {cell.text for cell in table.rows[1].cells} == {"NA"}
    assert table.rows[1].labels[2] == "NA"


def test_broken_sources_are_one_line(tmp_path):
    (tmp_path / "sources.yaml").write_text("revisions: {}\n")
    with pytest.raises(InputError) as caught:
        load_reference(tmp_path)
    assert len(caught.value.lines) == 1


def test_every_revision_is_described():
    readme = (REFERENCE / "README.md").read_text()
    assert all(f"`{revision}`" in readme for revision in load_reference().revisions)


def entries(project):
    return speedups(project.load().rows, "keras2", load_reference())


def test_a_row_without_a_ratio_says_why(project):
    project.fail("oom", "killed", column="keras2-tensorflow", task="fit")
    found = entries(project)
    assert [entry.missing for entry in found] == ["Keras 2 oom", ""]
    assert found[0].gain is None and found[1].gain.value == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (slow_down, "not steady"),
        (lambda record: record["load"].update(foreign_cpu_share=0.3), "disturbed"),
    ],
)
def test_no_other_stands_for_the_fastest_of_a_family(project, change, why):
    project.change(change, column="keras3-torch")  # the slowest
    assert {entry.gain.new.column.name for entry in entries(project)} == {"keras3-jax"}
    project.change(change, column="keras3-jax", task="fit")
    fit, predict = entries(project)
    assert (fit.gain, fit.missing) == (None, f"Keras 3 {why}")
    assert predict.gain.new.column.name == "keras3-jax"
    found = {each.id: each for each in findings(project.load())}
    assert list(found["keras3_over_pytorch"].numbers["gain"]) == ["bert/predict/16"]
    assert [label for label, _ in found["one_best_backend"].evidence] == ["BERT predict"]
    project.change(change)
    assert [(entry.gain, entry.missing) for entry in entries(project)] == 2 * [
        (None, f"Keras 3 {why}; Keras 2 {why}")
    ]
