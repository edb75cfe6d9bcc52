"""Snakemake waits while runs are timed: its own work would take time from them."""

import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fake_project import fake_project

RUNS = 8


def test_snakemake_starts_no_timers_while_runs_wait(tmp_path):
    """Each job that ended would start another chain of timers, which are threads."""
    project = fake_project(tmp_path / "project", "step_ms: 1.0")
    project.configure(runs=RUNS, resident=1)
    folder = "results/records/smoke/fake/fit-b4/fake"
    records = [f"{folder}/run{run}.json" for run in range(1, RUNS + 1)]
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--", *records]
    process = subprocess.Popen(command, cwd=project.folder)
    threads = {}  # of Snakemake, at most, by the number of runs that are measured
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        measured = sum((project.folder / record).exists() for record in records)
        if found := re.search(r"^Threads:\s+(\d+)$", status, flags=re.M):
            threads[measured] = max(threads.get(measured, 0), int(found[1]))
        time.sleep(0.1)
    assert process.returncode == 0
    assert all((project.folder / record).exists() for record in records)
    assert threads[RUNS - 2] <= threads[1]
