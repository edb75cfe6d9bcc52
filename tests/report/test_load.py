import json

import pytest

from millistep.analysis import load as loading
from millistep.analysis.frames import RUN
from millistep.analysis.load import InputError, load
from millistep.analysis.report.render import render
from tests.analysis_fixtures import files, write

FIRST = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"
KEY = ("bert", "fit", 4, "keras3-jax", 1)


def line(folder, change):
    """Return the row of a run whose record is changed, and the data."""
    content = files("six_columns")
    content[FIRST] = change(content[FIRST])
    data = load(write(folder, content))
    return data.runs.set_index(RUN).loc[KEY], data


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "nan", '{"a": NaN}', '{"a": 1e999}', '{"a": 1' + "0" * 40 + "}",
        '{"a": "\\ud800"}', "[" * 100_000, '{"a": 1}', "\x00", "{}" * 2,
    ],
)  # fmt: skip
def test_a_broken_record_is_a_row_with_a_reason(tmp_path, text):
    found, data = line(tmp_path, lambda record: text)
    assert found["status"] == "invalid record" and found["reason"]
    assert "\n" not in found["reason"] and len(found["reason"]) < 300
    cell = data.cells.set_index(RUN[:-1]).loc[KEY[:-1]]
    assert (cell["status"], cell["runs"]) == ("ok", 2)


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        (lambda record: {"identity": "{}"}, "outdated", ""),
        (lambda record: {"cell": record["cell"] | {"run": 2}}, "invalid record", "another run"),
        (lambda record: {"timing": None}, "invalid record", ""),
    ],
)
def test_a_record_of_another_plan_or_run_is_not_used(tmp_path, change, status, reason):
    found, _ = line(tmp_path, lambda record: record | change(record))
    assert found["status"] == status and reason in found["reason"] and not found["used"]


def test_an_ended_run_keeps_its_reason(tmp_path):
    change = {"status": "oom", "reason": "needed 9 GiB <b>\x1b[31m", "timing": None}
    found, data = line(tmp_path, lambda record: record | change)
    assert (found["status"], found["used"]) == ("oom", False)
    assert data.cells["ms"].notna().sum() == 11


def test_nothing_measured_is_no_error(tmp_path):
    plan = files("six_columns")["results/plan.json"]
    data = render(write(tmp_path, {"results/plan.json": plan}), tmp_path / "results")
    assert "no record yet" in (tmp_path / "results/table.md").read_text()
    assert set(data.runs["status"]) == {"not measured"}
    assert set(data.cells["standing"]) == {"excluded"}
    assert data.ratios.empty and data.windows.empty and data.operations.empty


@pytest.mark.parametrize("place", ["/etc/passwd", "../outside.json", "results/../../x.json"])
def test_a_record_outside_of_the_project_is_not_read(tmp_path, place):
    content = files("six_columns")
    run = content["results/plan.json"]["cells"][0]["runs"][0]
    run["record"] = place
    (tmp_path / "outside.json").write_text("{}")
    data = load(write(tmp_path / "project", content))
    assert data.runs.iloc[0]["status"] == "invalid record"
    assert "outside" in data.runs.iloc[0]["reason"]


def test_a_broken_plan_is_one_line(tmp_path):
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(InputError, match=r"plan\.json: not valid JSON"):
        load(tmp_path / "plan.json")


def test_foreign_work_excludes_a_run_if_two_others_stay(tmp_path):
    def busy(share):
        return lambda record: record | {"load": record["load"] | {"foreign_cpu_share": share}}

    found, _ = line(tmp_path / "a", busy(0.10))
    assert found["affected"].startswith("other processes used 10")
    assert not found["used"]
    found, _ = line(tmp_path / "b", busy(0.09))
    assert found["affected"] == ""


def test_some_foreign_work_counts_if_windows_vary(tmp_path):
    def change(record):
        record["load"]["foreign_cpu_share"] = 0.06
        for window in record["timing"]["windows"][::2]:
            window["elapsed_ns"] *= 2
        return record

    found, _ = line(tmp_path, change)
    assert found["window_cv"] > 0.25 and not found["used"]


@pytest.mark.parametrize(("calm", "counted"), [(2, True), (1, False)])
def test_windows_with_interference_do_not_count_if_two_others_stay(calm, counted, tmp_path):
    def change(record):
        record["load"]["foreign_cpu_share"] = 0.2
        for number, window in enumerate(record["timing"]["windows"]):
            window["foreign_cpu_share"] = 0.0 if number < calm else 0.11
            window["elapsed_ns"], window["steps"] = 10**9 * (1 if number < calm else 3), 10
        return record

    found, data = line(tmp_path, change)
    every = len(data.windows.set_index(RUN).loc[KEY])
    assert every > 4 and found["windows"] == (2 if counted else every)
    assert found["disturbed_windows"] == every - found["windows"]
    assert (found["affected"] == "") == found["used"] == counted
    assert (found["ms_per_step"] == 100) == counted


def test_a_cell_whose_every_run_is_affected_is_shown_and_excluded(tmp_path):
    content = files("six_columns")
    for run in (1, 2, 3):
        content[FIRST.replace("run1", f"run{run}")]["load"]["foreign_cpu_share"] = 0.5
    cell = load(write(tmp_path, content)).cells.set_index(RUN[:-1]).loc[KEY[:-1]]
    assert cell["ms"] > 0 and cell["standing"] == "excluded"
    assert "other processes" in cell["why_excluded"]


def test_runs_in_turns_are_compared_by_neighboring_windows(tmp_path):
    content = files("six_columns")
    for name, record in content.items():
        if "/bert/" in name and "/records/" in name:
            place = sorted(record["cell"]["column"] for _ in "a")[0]
            for number, window in enumerate(record["timing"]["windows"]):
                window["start_ns"] = number * 10**9 + sum(map(ord, place))
    rounds = load(write(tmp_path, content)).round_ratios
    assert (rounds.loc[rounds["model"] == "bert", "pairs"] > 5).all()
    assert (rounds.loc[rounds["model"] == "gemma", "pairs"] == 0).all()


def test_runs_of_other_sessions_are_not_paired(tmp_path):
    content = files("six_columns")
    for run in (1, 2, 3):
        name = FIRST.replace("keras3-jax/run1", f"pytorch-eager/run{run}")
        content[name]["session"]["id"] = "1a7e1a7e1a7e"
    cells = load(write(tmp_path, content)).cells.set_index(RUN[:-1])
    eager = cells.loc[("bert", "fit", 4, "pytorch-eager")]
    assert eager["why_excluded"] == "shares fewer than two rounds with the fastest"


def test_numbers_stay_exact():
    number = 12345678901234567890
    assert loading.parse(f'{{"a": 1.25, "b": {number}}}'.encode(), "x")["b"] == number
    assert json.dumps(loading.parse(b"[1e3]", "x")) == "[1000.0]"
