"""Snakemake waits while a run is timed: what it did meanwhile would take time from the run."""

import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fake_project import fake_project

RUNS = 8


def test_snakemake_has_no_more_to_do_beside_the_last_runs_than_beside_the_first(tmp_path):
    project = fake_project(tmp_path / "project", "step_ms: 1.0")
    project.configure(runs=RUNS)
    records = [
        project.folder / f"results/records/smoke/fake/fit-b4/fake/run{run}.json"
        for run in range(1, RUNS + 1)
    ]
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
    process = subprocess.Popen([*command, "--", "results/sessions.json"], cwd=project.folder)
    threads = {}  # of Snakemake, at most, by the number of runs that are measured
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        measured = sum(record.exists() for record in records)
        if found := re.search(r"^Threads:\s+(\d+)$", status, flags=re.M):
            threads[measured] = max(threads.get(measured, 0), int(found[1]))
        time.sleep(0.1)
    assert process.returncode == 0
    assert all(record.exists() for record in records)
    assert threads[RUNS - 1] <= threads[1]
