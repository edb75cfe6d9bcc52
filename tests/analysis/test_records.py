import copy
import hashlib
import json

import pytest
from results_factory import Project, identity, make_plan, unsupported
from test_measured_files import BLOCK, CARD, ONE, SELF_TEST
from tests.shared import set_in

from analysis.data import Data
from analysis.formats.errors import InputError
from analysis.results.loading import load_results
from analysis.results.runs import NOT_MEASURED, STALE
from contract.identity import changed as difference


def cell_of(results, column, task="fit"):
    (cell,) = [c for c in results.cells if (c.column.name, c.row.task) == (column, task)]
    return cell


def error_of(project, text, path=ONE):
    """The line that refuses one file with this text."""
    line = project.refused(path, text)
    assert line.startswith(f"{path}: ") and len(line) < 500
    return line


def test_cells_come_in_table_order_with_all_runs(project):
    results = project.load()
    names = [(cell.row.task, cell.column.name) for cell in results.cells]
    columns = [column["name"] for column in project.plan["columns"]]
    assert names == [(task, name) for task in ("fit", "predict") for name in columns]
    cell = cell_of(results, "keras3-jax")
    assert [sitting.round for sitting in cell.run_ms] == [1, 2, 3]
    assert [*cell.run_ms.values()] == pytest.approx([8.008, 8.016, 8.024])
    assert cell.step_ms == pytest.approx(8.016, rel=1e-6)
    assert cell.status == "ok"


def test_what_is_the_same_in_many_records_is_kept_once(project):
    project.change(lambda r: r["environment"]["packages"].update(own="1"), column="keras3-torch")
    records = project.load().records
    environments = [record.environment for record in records]
    different = {repr(environment) for environment in environments}
    assert 1 < len(different) == len({id(environment) for environment in environments})
    with_own = {r.cell.column for r in records if r.environment.packages.get("own") == "1"}
    assert with_own == {"keras3-torch"} and len(different) < len(records)


def test_missing_record_is_not_measured(project):
    project.records = {path: r for path, r in project.records.items() if "jax" not in path}
    cell = cell_of(project.load(), "keras3-jax")
    assert (cell.status, cell.step_ms, cell.interval) == (NOT_MEASURED, None, None)


def test_stale_record_is_named_and_not_averaged(project):
    stale = identity("keras3-jax", "fit", 2, warmup=9)
    project.change(lambda r: r.update(identity=stale), column="keras3-jax", task="fit", run=2)
    results = project.load()
    cell = cell_of(results, "keras3-jax")
    assert {sitting.round for sitting in cell.run_ms} == {1, 3}
    runs = Data(results).runs
    assert runs[runs["status"] == STALE][["blocks", "steps"]].isna().all(axis=None)
    (lost,) = cell.lost_runs
    assert lost.status == STALE
    assert lost.reason == "measured under another configuration: warmup 9 -> 3"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('{"b": 1, "c": 2}', '{"b": 1, "c": 3, "d": 4}', "c 2 -> 3, d changed"),
        ('{"a": {"b": 1}}', '{"a": {"b": 2}}', "a changed"),
        (json.dumps({"sha256": "a" * 64}), '{"sha256": "b"}', "sha256 changed"),
        ('{"a": 1}', '{"a":1}', ""),
        ("no JSON", "{}", "an identity is no JSON object"),
        ("[1]", "{}", "an identity is no JSON object"),
        ("[" * 100_000, "{}", "an identity is no JSON object"),
    ],
)
def test_what_differs_between_two_identities(old, new, words):
    assert difference(old, new) == words


def test_failed_run_gives_status_and_leaves_the_mean(project):
    project.fail("oom", "killed at 14 GiB", column="keras3-jax", task="fit", run=1)
    project.fail("timeout", column="keras3-torch", task="fit")
    results = project.load()
    assert {sitting.round for sitting in cell_of(results, "keras3-jax").run_ms} == {2, 3}
    assert cell_of(results, "keras3-torch").status == "timeout"


def test_unsupported_cell_has_the_reason_of_the_plan(tmp_path):
    project = Project(tmp_path, unsupported(make_plan(), "keras2-tensorflow", "needs Keras 3"))
    cell = cell_of(project.load(), "keras2-tensorflow")
    assert (cell.status, cell.reason) == ("unsupported", "needs Keras 3")


BROKEN = [
    ("", "not valid JSON"),
    ('{"total_s": NaN}', "NaN is no JSON number"),
    ('{"total_s": 1e999}', "too large a number"),
    ('{"total_s": 1e308}', "1e308 is too large a number"),
    ('{"total_s": 1' + 30 * "0" + "}", "is too large a number"),
    (b"\xff\xfe{", "not UTF-8 text (byte 0)"),
    ("[" * 100_000, "nested too deeply"),
    ("[]", "is not of type 'object'"),
    ("{}", "is a required property"),
    ('{"schema": "millistep.rec', "not valid JSON (Unterminated string"),
]


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        *((ONE, *broken) for broken in BROKEN),
        *((path, *broken) for path in (BLOCK, CARD, SELF_TEST) for broken in BROKEN[-3:]),
    ],
)
def test_broken_file_is_one_clear_line(project, path, text, message):
    assert message in error_of(project, text, path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("total_s", "long", "/total_s: 'long' is not of type 'number'"),
        ("total_s", "x" * 100, f"/total_s: '{'x' * 100}' is not of type"),
        ("total_s", "x" * 250, f"/total_s: '{'x' * 79} ... "),
        ("status", "fine", "/status: 'fine' is not one of ['ok', 'unsupported'"),
        ("extra", 1, "'extra' was unexpected"),
        ("started_at", "yesterday", "/started_at: 'yesterday' is not a 'date-time'"),
        ("timing blocks 3 steps", 0, "/timing/blocks/3/steps: 0 is less than"),
        ("load before", [1], "allowed: number or null"),
        ("timing", None, "/timing/blocks: empty, although the status is ok"),
        ("timing blocks", [], "/timing/blocks: empty, although the status is ok"),
        ("cell column", "keras3-torch", "is not the run that the plan expects"),
        ("schema", "millistep.record/1", "'millistep.record/3' was expected"),
    ],
)
def test_wrong_content_is_one_clear_line(project, place, value, message):
    record = copy.deepcopy(project.records[ONE])
    set_in(record, tuple(int(w) if w.isdigit() else w for w in place.split()), value)
    assert message in error_of(project, json.dumps(record))


def test_a_lone_surrogate_is_a_question_mark(project):
    def half(record):
        record["machine"]["cpu"] = record["parity"]["backend"] = "\ud800 \U0001f600"
        record["memory"]["peak_device_counts"] = "\\ud800 \udfff"

    project.change(half, column="keras3-jax", task="fit", run=1)
    results = project.load()
    [record] = [r for r in results.records if r.parity["backend"] == "? \U0001f600"]
    assert (record.machine.cpu, record.memory.peak_device_counts) == ("? \U0001f600", "\\ud800 ?")
    assert "? \U0001f600" in set(Data(results).recorded["parity.backend"])


def test_all_broken_files_are_reported_together(project):
    project.save()
    for path in list(project.records)[:3]:
        (project.folder / path).write_text("{")
    with pytest.raises(InputError) as caught:
        load_results(project.plan_path)
    assert len(caught.value.lines) == 3


def test_huge_file_is_not_read(project, monkeypatch):
    monkeypatch.setattr("analysis.formats.strict_json.MAX_BYTES", 10)
    text = json.dumps(project.plan)
    assert "more than the 0 MiB that are read" in project.refused("results/plan.json", text)


def test_huge_record_is_not_read(project, monkeypatch):
    monkeypatch.setattr("analysis.results.measured.MAX_BYTES", 10)
    with pytest.raises(InputError, match=f"{ONE}: 0 MiB, more than the 0 MiB that are read"):
        project.load()


def test_folder_in_place_of_a_record(project):
    project.save()
    (project.folder / ONE).unlink()
    (project.folder / ONE).mkdir()
    with pytest.raises(InputError, match="not a file"):
        load_results(project.plan_path)


def test_a_study_is_read_in_its_own_folder(project):
    place = "results/studies/pair"
    text = json.dumps(project.plan).replace("results/", f"{place}/")
    study = Project(project.folder, {**json.loads(text), "results": place})
    study.save()
    path = study.plan_path.rename(study.folder / place / "plan.json")
    assert all(cell.ok_runs for cell in load_results(path).cells)


def test_plan_that_contradicts_itself_is_refused(project):
    project.plan["cells"].append(project.plan["cells"][0])
    project.plan["cells"][1]["column"] = "unknown"
    project.save()
    with pytest.raises(InputError) as caught:
        load_results(project.plan_path)
    assert any("stands there twice" in line for line in caught.value.lines)
    assert any("'unknown' is no row and framework" in line for line in caught.value.lines)


def test_loading_alters_nothing(project):
    project.fail("error", "boom", column="keras3-jax", task="fit", run=1)

    def digests():
        files = sorted(path for path in project.folder.rglob("*") if path.is_file())
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    project.save()
    before = digests()
    load_results(project.plan_path)
    assert digests() == before


def test_status_reason_and_warnings_are_worded_as_today(project):
    """A record keeps the raw facts; the words that stand in it are those of its day."""

    def of_another_day(record):
        record.update(status="ok", reason="", printed=["W0000 00:00:1.5 1 a.cc:7] slow"])
        record["ending"].update(done=False, measured=False, timed_out_after_s=60.0)

    project.change(of_another_day, column="keras3-jax", task="fit")
    cell = cell_of(project.load(), "keras3-jax")
    assert (cell.status, cell.reason) == ("timeout", "not finished after the time limit of 60 s")
    assert cell.runs[0].record.warnings == ("a.cc:7: slow",)
