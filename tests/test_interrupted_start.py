"""Snakemake ended in the middle of a run, by Ctrl-C or by kill, leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from tests.fake_project import fake_project
from tests.shared import gone, put, wait_for

RECORD = "results/records/smoke/fake/fit-b4/fake/run1.json"


@pytest.fixture
def started(tmp_path):
    """Snakemake in a session of its own, as a terminal starts it, with a run that would not end."""
    folder, pids, runs = tmp_path / "project", tmp_path / "pids", []
    project = fake_project(folder, f"step_ms: 1.0, trouble: leaves_a_grandchild, pids: '{pids}'")
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--", RECORD]
    with open(tmp_path / "said", "w") as said:
        own = {"cwd": folder, "stdout": said, "stderr": said, "start_new_session": True}
        process = subprocess.Popen(command, **own)
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
