"""The appendix, the methods text and the citation."""

import re

import pytest

from millistep.analysis.report import appendix, methods, setting
from millistep.analysis.words import anchor
from tests.report.made import fail, made

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


def test_citation(six):
    first, second = methods.sections(six, "f" * 64)
    assert first["anchor"] == "methods" and second["anchor"] == "cite"
    assert "@software{millistep," in second["code"] and "f" * 64 in second["code"]
    assert "hold 33 of 33 planned runs" in second["text"]
    nothing = made({BERT: TIMES}, change=fail)
    assert [each["text"] for each in methods.sections(nothing, "")] == [methods.NOTHING] * 2
