"""BERT on all frameworks, from the configuration to the report and its archive."""

import json
import re
import zipfile

from millistep.analysis.archive import contents
from millistep.analysis.steady import TAIL_SHARE

from ..shared import python, valid
from .conftest import COLUMNS, FRAMEWORKS, PLAN

RUNS = 2 * len(COLUMNS)  # fit and predict


def records(measured):
    return dict(zip(measured.records(), measured.found(), strict=True))


def test_a_start_records_the_state_of_its_compile_cache(measured):
    for name, record in records(measured).items():
        timing, column = record["timing"], record["cell"]["column"]
        keeps = column == "pytorch-compiled" or FRAMEWORKS[column].library == "jax"
        assert timing["compile_cache"] == ("cold" if keeps else None), name


def test_windows_of_a_round_follow_the_planned_order(measured):
    cells = measured.read(PLAN)["cells"]
    planned = {run["record"]: run["position"] for cell in cells for run in cell["runs"]}
    found = {name: record for name, record in records(measured).items() if "/fit-b4/" in name}
    assert {record["timing"]["in_turns"] for record in found.values()} == {len(COLUMNS)}
    by_start = sorted(found, key=lambda name: found[name]["timing"]["windows"][0]["start_ns"])
    assert by_start == sorted(found, key=planned.get)


def test_the_reference_workload_was_measured_before_the_first_workload(measured):
    found = records(measured)
    references = valid(measured.read(PLAN), "plan")["references"]
    assert len(references) == 2
    (planned,) = (each for each in references if (measured.folder / each["path"]).exists())
    reference = measured.read(planned["path"])
    runs = [r for r in found.values() if r["cell"]["task"] == planned["task"]]
    assert {run["cell"]["column"] for run in runs} == {*COLUMNS}
    assert {run["session"]["id"] for run in runs} == {reference["session"]["id"]}
    assert reference["finished_at"] <= min(run["started_at"] for run in found.values())
    assert (reference["status"], reference["reason"]) == ("ok", "")
    assert [product["dtype"] for product in reference["matmul"]] == ["float32", "bfloat16"]
    # Between a tenth of a GFLOP/s and what no processor reaches.
    assert all(1e8 < product["flops_per_s"] < 1e14 for product in reference["matmul"])


def test_the_self_test_holds_known_steps_and_one_cell_twice(measured):
    found = valid(measured.read("results/self_test.json"), "self_test")
    assert (found["status"], found["reason"]) == ("ok", "")
    assert [step["nominal_ms"] for step in found["known_steps"]] == [2, 20]
    cell = found["same_cell"]
    assert (cell["task"], cell["column"]) == ("predict", "pytorch-eager")
    assert cell["a_ms"].keys() == cell["b_ms"].keys() == {"1"}


def test_the_terminal_shows_progress_the_table_and_the_report(measured):
    timed = RUNS + 1  # with the second name of the self-test's cell
    for place in range(1, timed + 1):
        assert f"[{place}/{timed}] bert " in measured.first.stderr
    result = r"^\[\d+/\d+\] bert \w+, batch \d, \S+( again)?, run 1: [\d.]+ ms/step"
    result += (
        r"(, timed alone)?(, affected by interference: other processes .+)?(; about .+ left)?$"
    )
    assert len(re.findall(result, measured.first.stderr, re.M)) == timed
    assert "| BERT fit" in measured.first.stdout
    assert "results/report.html" in measured.first.stdout


def test_the_table_holds_the_means_of_the_records(measured):
    rows = measured.runs()
    assert len(rows) == RUNS
    by_cell = {(r["task"], r["configuration"]): r for r in rows}
    for record in records(measured).values():
        windows, cell = record["timing"]["windows"], record["cell"]
        row = by_cell[cell["task"], cell["column"]]
        kept = windows[-int(row["windows"]) :]  # without warm-up
        assert len(kept) >= TAIL_SHARE * len(windows)
        mean = sum(w["elapsed_ns"] for w in kept) / sum(w["steps"] for w in kept) / 1e6
        assert abs(float(row["ms_per_step"]) / mean - 1) < 1e-6


def test_the_archive_of_a_real_run_verifies(project, tmp_path):
    done, path = project.made("archive"), "results/millistep-smoke-cpu.zip"
    file = project.folder / path
    assert "@software{millistep," in done.stdout and path in done.stdout
    assert contents.sha256(file) in done.stdout
    assert "Report: " not in done.stdout  # it was made and shown with its table before
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path)
        crate = json.loads(archive.read("ro-crate-metadata.json"))["@graph"]
        drawn = [n for n in archive.namelist() if re.match(r"results/(figures/)?[^/]+$", n)]
    kinds = {kind for entity in crate for kind in [entity["@type"]] if isinstance(kind, str)}
    assert {"CreateAction", "CreativeWork", "Dataset", "Organization"} <= kinds
    action = next(entity for entity in crate if entity["@type"] == "CreateAction")
    assert action["object"][0]["@id"] == PLAN and action["startTime"] < action["endTime"]
    files = [path for path in tmp_path.joinpath("results").rglob("*") if path.is_file()]
    here = str(project.folder).encode()
    assert [path for path in files if here in path.read_bytes()] == []
    # Verified by the sources that are in the archive.
    said = python(tmp_path / "workflow", "verify", file, cwd=project.folder)
    assert re.search(r"rendered   \d+ files, 0 differ", said)
    assert said.splitlines()[-1].startswith("IDENTICAL")
    # Rendered again for the archive, and equal to what the rule rendered.
    assert {"results/report.html", "results/table.csv"} <= {*drawn} and len(drawn) > 20
    for name in drawn:
        assert (tmp_path / name).read_bytes() == (project.folder / name).read_bytes(), name

    project.edit("CITATION.cff", "version: 1.0.0", "version: 1.0.1")
    assert project.planned("archive") == {"archive": 1, "report": 1}  # which quotes it
