"""BERT on all frameworks, from the configuration to the report."""

import csv
import json
import re

from ..shared import TIMED, valid
from .conftest import COLUMNS, FRAMEWORKS

RUNS = 2 * len(COLUMNS)  # fit and predict


def records(measured):
    return dict(zip(measured.records(), measured.found(), strict=True))


def test_a_start_records_the_state_of_its_compile_cache(measured):
    for name, record in records(measured).items():
        timing, column = record["timing"], record["cell"]["column"]
        keeps = column == "pytorch-compiled" or FRAMEWORKS[column].library == "jax"
        assert timing["compile_cache"] == ("cold" if keeps else None), name


def test_rounds_were_measured_in_the_planned_order(measured):
    plan = json.loads((measured.folder / "results/plan.json").read_text())
    planned = {r["record"]: r["position"] for cell in plan["cells"] for r in cell["runs"]}
    found = records(measured)
    by_start = sorted(found, key=lambda name: found[name]["started_at"])
    assert by_start == sorted(planned, key=planned.get)


def read(measured, path, schema):
    return valid(json.loads((measured.folder / path).read_text()), schema)


def sessions(measured):
    """The only session of each block, with its records."""
    found = records(measured)
    for block in read(measured, "results/plan.json", "plan")["blocks"]:
        (session,) = read(measured, block["path"], "block")["sessions"]
        yield session, [found[path] for path in session["runs"] if path in found]


def test_each_row_was_measured_in_one_session_between_two_canaries(measured):
    for session, runs in sessions(measured):
        assert session["ended"] == "done"
        assert {run["cell"]["column"] for run in runs} == {*COLUMNS}
        assert {run["session"]["id"] for run in runs} == {session["id"]}
        assert {run["session"]["neighbours"] for run in runs} == {0}
        before, after = (session["canaries"]["cpu"][when] for when in ("before", "after"))
        assert before["finished_at"] <= min(run["started_at"] for run in runs)
        assert max(run["finished_at"] for run in runs) <= after["started_at"]
        for canary in (before, after):
            assert (canary["status"], canary["reason"]) == ("ok", "")
            assert [product["dtype"] for product in canary["matmul"]] == ["float32", "bfloat16"]
            # Between a tenth of a GFLOP/s and what no processor reaches.
            assert all(1e8 < product["flops_per_s"] < 1e14 for product in canary["matmul"])


def test_the_self_test_holds_known_steps_one_cell_twice_and_the_monitor(measured):
    found = read(measured, "results/self_test.json", "self_test")
    assert (found["status"], found["reason"]) == ("ok", "")
    assert [step["nominal_ms"] for step in found["known_steps"]] == [2, 20]
    cell = found["same_cell"]
    assert (cell["task"], cell["column"]) == ("predict", "pytorch-eager")
    assert cell["a_ms"].keys() == cell["b_ms"].keys() == {"1"}
    assert len(found["monitor"]["on_ms"]) == len(found["monitor"]["off_ms"]) == 3


def test_the_terminal_shows_progress_the_table_and_the_report(measured):
    assert f"[1/{RUNS}] bert fit, batch 4" in measured.first.stderr
    assert f"[{RUNS}/{RUNS}] bert predict, batch 8" in measured.first.stderr
    result = r"^\[\d+/\d+\] bert \w+, batch \d, \S+, run 1: " + TIMED
    assert len(re.findall(result, measured.first.stderr, re.M)) == RUNS
    rows = re.findall(r"^\| (BERT \w+) .* \d", measured.first.stderr, re.M)
    assert sorted(rows) == ["BERT fit", "BERT predict"]
    assert "| BERT fit" in measured.first.stdout
    assert "results/report.html" in measured.first.stdout


def test_the_table_holds_the_means_of_the_records(measured):
    with open(measured.folder / "results/runs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == RUNS
    by_cell = {(r["task"], r["column"]): r for r in rows}
    told = json.loads((measured.folder / "results/caveats.json").read_text())["caveats"]
    left_out = {
        (reading["task"], reading["column"]): reading["value"]
        for caveat in told
        if caveat["id"] == "warm_up_left_out"
        for reading in caveat["evidence"]["readings"]
    }
    for record in records(measured).values():
        blocks, cell = record["timing"]["blocks"], record["cell"]
        row = by_cell[cell["task"], cell["column"]]
        # without the warm-up that a caveat tells of, and nothing else
        kept = blocks[round(left_out.get((cell["task"], cell["column"]), 0) * len(blocks)) :]
        mean = sum(b["elapsed_ns"] for b in kept) / sum(b["steps"] for b in kept) / 1e6
        assert abs(float(row["ms_per_step"]) / mean - 1) < 1e-6
