"""The whole table on a simulated GPU (tests/gpu_stand_in): from configuration to report.

A copy of the project in a folder of its own, with ``accelerator: cuda`` and an interpreter on the
stand-in for each framework; Snakemake measures it and writes the report. Started again, it goes on.
It prints the status of every run, with its reason, and how many processes launched how many
kernels. None of these numbers is a measurement of any framework.
"""

import argparse
import collections
import csv
import subprocess
import sys
from pathlib import Path

import yaml
from tests.gpu_stand_in import harness
from tests.gpu_stand_in.machine import Machine
from tests.shared import copy_tree

ROOT = Path(__file__).resolve().parents[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the copy, its results and its machine")
    parser.add_argument("--columns", nargs="*", help="by default those that are shipped")
    parser.add_argument("--kernel-us", type=float, default=500.0, help="what a kernel takes")
    wanted = parser.parse_args()
    folder = wanted.folder.absolute()
    project = folder / "project"
    if not project.exists():
        copy_tree(project)
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    columns = wanted.columns or config["columns"]
    machine, interpreters = simulated(folder, columns, wanted.kernel_us)
    changes = {"scale": "smoke", "accelerator": "cuda", "columns": columns, "threads": 1}
    changes |= {"interpreters": interpreters, "environment": machine.variables}
    (project / "config/config.yaml").write_text(yaml.safe_dump({**config, **changes}))
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
    if done := subprocess.run(command, cwd=project, env=machine.environ()).returncode:
        sys.exit(done)
    with open(project / "results/runs.csv", newline="") as lines:
        runs = list(csv.DictReader(lines))
    for run in runs:
        names = " ".join(run[name] for name in ("model", "task", "batch_size", "column"))
        print(names, run["status"], run["reason"])
    print(collections.Counter(run["status"] for run in runs))
    launches = [process.launches for process in machine.processes()]
    print(f"{len(launches)} processes launched {sum(launches)} kernels")


def simulated(folder, columns, kernel_us):
    """Make a machine, and an interpreter on it for each column.

    Wheels for CUDA 12 and for CUDA 13 want libraries of one name, cuDNN's: each interpreter is
    started with those of its own. Links to them stay the same when the libraries are built again.
    """
    interpreters = {}
    for column in columns:
        marker, libraries = harness.environment_of(column)
        link = folder / "libraries" / column
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(libraries)
        machine = Machine(folder / "machine", link).set(kernel_us=kernel_us)
        script = folder / "interpreters" / column
        script.parent.mkdir(exist_ok=True)
        settings = " ".join(f'{name}="{value}"' for name, value in machine.variables.items())
        script.write_text(f'#!/bin/sh\n{settings} exec "{marker["interpreter"]}" "$@"\n')
        script.chmod(0o755)
        interpreters[column] = str(script)
    return machine, interpreters


if __name__ == "__main__":
    main()
