"""Seconds of ``snakemake -n`` with nothing to do, for 66 cells x 3 runs.

Works in a copy of the project whose configuration asks for eleven rows of BERT
on six columns, with made-up records that have the planned identities.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

CONFIG = """\
scale: smoke
accelerator: cpu
threads: 1
runs: 3
models: {bert: {fit: [1, 2, 3, 4, 5, 6], predict: [1, 2, 3, 4, 5]}}
columns: [keras2-tensorflow, keras3-tensorflow, keras3-jax, keras3-torch, pytorch-eager,
             pytorch-compiled]
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "project")
        skip = shutil.ignore_patterns(".git", ".venv*", ".snakemake", "results", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=skip)
        (copy / "config/config.yaml").write_text(CONFIG)
        finish(copy)
        for number in range(5):
            start = time.perf_counter()
            done = snakemake(copy, "-n")
            seconds = time.perf_counter() - start
            if "Nothing to be done" not in done.stdout + done.stderr:
                sys.exit("there was something to do:\n" + done.stdout[-2000:] + done.stderr[-2000:])
            print(f"{number + 1}: {seconds:.2f} s")


def finish(copy):
    """Make every output exist, as after a full run."""
    sys.path.insert(0, str(copy / "workflow"))
    import yaml

    from analysis.report.page import FIGURES
    from deploy.environments import definition_sha256
    from planning.plan import Plan

    os.chdir(copy)
    plan = Plan(yaml.safe_load(CONFIG), definition_sha256, Path("envs"))
    assert len(plan.runs) == 198
    for environment in plan.environments:
        write(environment.marker, "{}")
    write("results/plan.json", json.dumps(plan.document()))
    for run in plan.runs:
        write(run.record, json.dumps({"identity": run.identity, "padding": "x" * 10_000}))
    for path, identity in plan.controls.identities.items():
        write(path, json.dumps({"identity": identity}))
    write(plan.machine_card, "{}")
    write(plan.self_test, "{}")
    # Takes everything there is as made, and writes down with what it was made.
    for name in ("runs.csv", "runs.parquet", "break_even.csv", "report.html"):
        write(f"results/{name}", "")
    for form in ("json", "md", "rst"):
        write(f"results/caveats.{form}", "")
    for form in ("md", "csv", "tex"):
        write(f"results/table.{form}", "")
        write(f"results/published.{form}", "")
    for name in FIGURES:
        for form in ("svg", "pdf", "png"):
            write(f"results/figures/{name}.{form}", "")
    snakemake(copy, "--touch")


def write(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def snakemake(copy, *arguments):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True)


if __name__ == "__main__":
    main()
