"""Snakemake ended in the middle of a run, by Ctrl-C or by kill, leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fake_project import fake_project
from tests.shared import gone, wait_for

RECORD = "results/records/smoke/fake/fit-b4/fake/run1.json"


class Started:
    """Snakemake in a session of its own, as a terminal starts it, with a run that would not end."""

    def __init__(self, folder: Path):
        self.pids, self.said = folder / "pids", folder / "said"
        stays = f"step_ms: 1.0, trouble: leaves_a_grandchild, pids: '{self.pids}'"
        self.project = fake_project(folder, stays)
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
        with open(self.said, "w") as said:
            own = {"cwd": folder, "stdout": said, "stderr": said, "start_new_session": True}
            self.process = subprocess.Popen([*command, "--", RECORD], **own)
        try:
            self.measuring, self.grandchild = map(int, wait_for(self.pids, 120).split())
        except BaseException:
            self.process.kill()
            raise


@pytest.fixture
def started(tmp_path):
    started = Started(tmp_path / "project")
    yield started
    for pid in (started.process.pid, started.grandchild):
        if not gone(pid, seconds=0):
            os.kill(pid, signal.SIGKILL)


def test_two_interrupts_say_what_is_kept_and_show_no_traceback(started):
    page = started.project.folder / "results/so_far/round1/report.html"
    page.parent.mkdir(parents=True)
    page.touch()
    for _ in range(2):
        os.killpg(started.process.pid, signal.SIGINT)
        time.sleep(0.1)
    assert started.process.wait(30) != 0
    said = started.said.read_text()
    assert "Traceback" not in said
    kept = "millistep: 0 of 1 runs are measured and kept; run the same command again to continue\n"
    assert kept in said and "so far: results/so_far/round1/report.html\n" in said
    assert gone(started.measuring, started.grandchild)


def test_a_killed_snakemake_leaves_no_run_and_the_next_start_says_why_it_does_not(started):
    started.process.kill()
    started.process.wait()
    assert gone(started.measuring, started.grandchild, seconds=20)
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
