"""Snakemake measures fake cells: it waits while runs are timed, and may be ended in the middle."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fake_project import fake_project
from tests.shared import gone, put, wait_for

RECORD = "results/records/smoke/fake/fit-b4/fake/run1.json"
COMMAND = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--"]


@pytest.fixture
def started(tmp_path):
    """Snakemake in a session of its own, as a terminal starts it, with a run that would not end."""
    folder, pids, runs = tmp_path / "project", tmp_path / "pids", []
    project = fake_project(folder, f"step_ms: 1.0, trouble: leaves_a_grandchild, pids: '{pids}'")
    with open(tmp_path / "said", "w") as said:
        own = {"cwd": folder, "stdout": said, "stderr": said, "start_new_session": True}
        process = subprocess.Popen([*COMMAND, RECORD], **own)
    try:
        runs += map(int, wait_for(pids, 120).split())
        yield SimpleNamespace(project=project, process=process, said=tmp_path / "said", runs=runs)
    finally:
        for pid in (process.pid, *runs):
            if not gone(pid, seconds=0):
                os.kill(pid, signal.SIGKILL)


def test_two_interrupts_say_what_is_kept_and_show_no_traceback(started):
    put(started.project.folder / "results/so_far/round1/report.html", "")
    for _ in range(2):
        os.killpg(started.process.pid, signal.SIGINT)
        time.sleep(0.1)
    assert started.process.wait(30) != 0
    said = started.said.read_text()
    assert "Traceback" not in said
    kept = "millistep: 0 of 1 runs are measured and kept; run the same command again to continue\n"
    assert kept in said and "so far: results/so_far/round1/report.html\n" in said
    assert gone(*started.runs)


def test_a_killed_snakemake_leaves_no_run_and_the_next_start_says_why_it_does_not(started):
    started.process.kill()
    started.process.wait()
    assert gone(*started.runs, seconds=20)
    again = started.project.snakemake("--quiet", "all", "--", RECORD)
    assert again.returncode != 0
    assert "snakemake --unlock (make ARGS=--unlock)" in again.stderr


def test_who_has_measured_all_and_lacks_something_else_is_not_told_to_measure_on(tmp_path):
    project = fake_project(tmp_path / "project", "step_ms: 1.0")
    in_the_way = project.folder / "results/table.csv"
    (in_the_way / "something").mkdir(parents=True)
    done = project.snakemake("--quiet", "all")
    assert done.returncode != 0
    kept = "millistep: 1 of 1 runs are measured and kept; the lines above name other failures"
    assert kept in done.stderr and "table.csv" in done.stderr.partition(kept)[0]


def test_snakemake_starts_no_timers_while_runs_wait(tmp_path):
    """Each job that ended would start another chain of timers, which are threads."""
    project = fake_project(tmp_path / "project", "step_ms: 1.0")
    project.configure(runs=8, resident=1)
    records = [RECORD.replace("run1", f"run{run}") for run in range(1, 9)]
    process = subprocess.Popen([*COMMAND, *records], cwd=project.folder)
    threads = {}  # of Snakemake, at most, by the number of runs that are measured
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        measured = sum((project.folder / record).exists() for record in records)
        if found := re.search(r"^Threads:\s+(\d+)$", status, flags=re.M):
            threads[measured] = max(threads.get(measured, 0), int(found[1]))
        time.sleep(0.1)
    assert process.returncode == 0
    assert all((project.folder / record).exists() for record in records)
    assert threads[6] <= threads[1]


def test_an_answer_is_made_of_the_runs_that_were_measured(tmp_path):
    project = fake_project(tmp_path / "project", "step_ms: 5.0")
    columns = ["fake", {"framework": "fake", "again": True}]
    columns.append({"framework": "fake", "precision": "float32"})  # in place of a patch
    answer = {"threshold": 0.5, "looks": 1, "last": True, "left_out": {}, "report": ""}
    project.configure(columns=columns, runs=2, answer=answer)
    project.made("answer")
    found = project.read("results/answer.json")
    (row,) = found["rows"]
    assert (row["base"], row["new"], row["rounds"]) == ("fake", "fake+float32", 2)
    assert 0.5 < row["ratio"] < 2 and 0.5 < row["null_ratio"] < 2
    assert row["allocated_base"] == row["allocated_null"] == row["allocated_new"] == 4096
    assert 0 < found["seconds_of_a_round"]["fake/fit/4"] < 100
    assert json.loads(project.read(RECORD)["identity"])["probes"] == []
