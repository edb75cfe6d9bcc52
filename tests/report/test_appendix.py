"""The appendix, the methods text and the citation."""

import re

import pytest

from millistep.analysis import tables
from millistep.analysis.report import appendix, methods, setting
from millistep.analysis.words import anchor
from tests.report.made import configuration, fail, made

pytestmark = pytest.mark.quick
BERT = ("bert", "fit", 8)
TIMES = {"keras3-jax": 10.0, "pytorch-eager": 20.0}


def page(data, folder) -> str:
    appendix.write(data, folder, [])
    return (folder / "appendix.html").read_text()


def test_every_cell_has_its_id_once(six, tmp_path):
    html = page(six, tmp_path)
    ids = re.findall(r'id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    cells = six.cells[["model", "task", "batch_size", "configuration"]]
    assert {anchor(cell) for cell in cells.itertuples(index=False, name=None)} <= set(ids)


def test_operations_csv_has_ten_of_each_profiled_cell(six):
    found = appendix.longest_operations(six)
    sizes = found.groupby(["model", "configuration"]).size()
    assert len(sizes) == 11 and sizes.max() == appendix.LONGEST
    own = six.operations.query("model == 'bert' and configuration == 'keras3-jax'")
    first = found.query("model == 'bert' and configuration == 'keras3-jax'").iloc[0]
    # An operation that a run does not list counts as 0.
    assert first["ms"] == pytest.approx(own.loc[own["name"] == first["name"], "ms"].sum() / 3)


def test_failures_show_their_reason_and_log_and_nothing_is_markup(tmp_path):
    def change(record):
        if record["cell"]["column"] == "pytorch-eager":
            tail = ["Traceback", "<script>alert(1)</script>"]
            record.update(status="error", reason="ValueError: <b>", timing=None, log_tail=tail)

    html = page(made({BERT: TIMES}, 2, change=change), tmp_path)
    assert "PyTorch (eager), bert fit, run 1" in html and "<script>alert" not in html
    assert "run 1: error, ValueError: &lt;b&gt;" in html and "&lt;script&gt;alert(1)" in html
    assert html.count("ValueError: &lt;b&gt;") == 2  # at its cell and once among the failures


def test_a_cell_that_cannot_run_says_why(tmp_path):
    html = page(made({BERT: TIMES | {"keras3-torch": None}}), tmp_path)
    assert "excluded: unsupported: the library refuses to build it" in html


def test_many_runs_are_left_to_the_csv(monkeypatch, tmp_path):
    monkeypatch.setattr(appendix, "MOST_RUNS", 3)
    html = page(made({BERT: TIMES}, 2), tmp_path)
    assert "because there are 4 runs" in html and "<details>" not in html


def test_one_run_is_no_plural(tmp_path):
    assert "<summary>2 runs</summary>" in page(made({BERT: {"keras3-jax": 10.0}}, 2), tmp_path)
    assert "<summary>1 run</summary>" in page(made({BERT: {"keras3-jax": 10.0}}, 1), tmp_path)


def test_failures_that_are_not_shown_are_counted(monkeypatch):
    def change(record):
        fail(record)
        record["reason"] = f"reason {record['cell']['run']}"

    data = made({BERT: TIMES}, 3, change=change)
    assert len(appendix.failures(data)) == 6
    monkeypatch.setattr(appendix, "MOST_FAILURES", 5)
    assert appendix.failures(data)[5:] == [("1 further reason in runs.csv", "")]


def test_machines_of_other_workloads_are_no_mean():
    def change(record):
        record["machine"]["id"] = record["cell"]["model"]

    both = {BERT: TIMES, ("gemma", "fit", 8): TIMES}
    text = methods.methods(made(both, change=change), "1.0.0")
    assert "Each workload was measured on one of 2 machines." in text
    assert "averaged" not in text and "Intervals hold" not in text


def test_the_correction_is_that_of_the_compared_cells(monkeypatch):
    monkeypatch.setattr(methods, "MOST_CELLS", 2)
    three = TIMES | {"keras3-torch": 15.0}
    assert "by Holm" in methods.methods(made({BERT: three}), "1.0.0")

    def change(record):
        if record["cell"]["column"] == "keras3-torch":
            fail(record)

    assert "as in Bergmann" in methods.methods(made({BERT: three}, change=change), "1.0.0")


def test_the_legend_explains_several_groups_of_a_workload():
    one = made({BERT: TIMES})
    assert tables.legend(one) == tables.LEGEND
    columns = [configuration("keras3-jax"), configuration("keras3-jax+old", stack="2024-03")]
    two = made({BERT: {"keras3-jax": 8.0, "keras3-jax+old": 9.0}}, columns=columns)
    assert tables.legend(two) == tables.LEGEND + tables.OF_GROUP


@pytest.mark.parametrize(
    ("citation", "cited"),
    [
        (
            "Devlin et al. 2019, BERT: Pre-training of 2 things, NAACL-HLT 2020",
            "BERT (Devlin et al. 2019)",
        ),
        ("Gemma Team, Google DeepMind 2024, Gemma", "BERT (Gemma Team, Google DeepMind 2024)"),
        ("Own work, unpublished", "BERT (Own work)"),
        ("none", "BERT"),
        (None, "BERT"),
    ],
)
def test_a_model_is_cited_with_its_year(citation, cited):
    assert methods._cited({"title": "BERT", "citation": citation}) == cited


def test_one_window_and_one_step_are_no_plural():
    assert "per run 1 timing window, 10 steps (medians)" in setting.protocol(made({BERT: TIMES}))


def record_as(**changes):
    """Return a change of all records: `machine` ids by run, or a share of foreign CPU."""

    def change(record):
        record["started_at"] = "2027-01-01T00:00:00Z"
        if "machines" in changes:
            record["machine"]["id"] = f"m{record['cell']['run']}"
        if record["cell"]["column"] == "pytorch-eager":
            record["load"]["foreign_cpu_share"] = changes.get("share", 0.0)

    return change


EXCLUDED = "1 measured cell of 2 was excluded because of inter"


@pytest.mark.parametrize(
    ("runs", "change", "said", "unsaid"),
    [
        (3, record_as(), "took turns, one timing window each", "one after another"),
        (3, record_as(), "paired t test over rounds at 5 %", "single"),
        (1, record_as(), "With one run per cell there is no interval", "Student"),
        (3, record_as(machines=True), "Runs on 3 machines were averaged", "hold for this machine"),
        (3, record_as(), "Intervals hold for this machine.", "excluded"),
        (3, record_as(share=0.5), EXCLUDED, "were excl"),
    ],
)
def test_the_methods_text_follows_the_runs(runs, change, said, unsaid):
    text = methods.methods(made({BERT: TIMES}, runs, change=change), "1.0.0")
    text = text.replace("\u00a0", " ")
    assert said in text and unsaid not in text
    assert len(text.split()) <= 250 and "{" not in text and ".A" not in text


def test_the_software_of_the_setting_has_every_library_that_computes():
    def change(record):
        record["environment"]["packages"] = {"tensorflow-cpu": "2.21.0", "keras": "3.15.1"}

    found = setting.software(made({BERT: TIMES}, change=change))
    assert found == "Python 3.11.7, tensorflow-cpu 2.21.0, keras 3.15.1"


@pytest.mark.parametrize("method", ["venv", "conda"])
def test_results_are_reproduced_with_conda_where_the_runs_used_it(method):
    data = made({BERT: TIMES}, change=lambda record: record["environment"].update(method=method))
    assert setting.reproduce(data)["conda"] == (method == "conda")


def test_citation(six):
    first, second = methods.sections(six, "f" * 64)
    assert first["anchor"] == "methods" and second["anchor"] == "cite"
    assert "@software{millistep," in second["code"] and "f" * 64 in second["code"]
    assert "hold 33 of 33 planned runs" in second["text"]
    nothing = made({BERT: TIMES}, change=fail)
    assert [each["text"] for each in methods.sections(nothing, "")] == [methods.NOTHING] * 2
