"""Seconds and memory of ``snakemake -n`` for eleven rows x 3 runs, with everything and with nothing
to do, next to those of a workflow of one rule with as many jobs; and of the plans of the default
table and of 200 columns. With the word ``large``: for 10,002 cells x 5 runs.

Runs on the interpreter of Snakemake alone, as users do: ``.venv/bin/python3 benchmarks/dry_run.py``
after ``make .venv``. Works in a copy of the project whose configuration has eleven rows of
BERT on all columns, with generated files that have the planned identities.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from tests.shared import copy_tree

from millistep.contracts.base import schema
from millistep.contracts.record import Record
from millistep.deploy.environments import virtual_prefix
from millistep.planning.catalog import frameworks
from millistep.planning.plan import Plan
from millistep.supervise.record import (
    SCHEMA,
)

ROOT = Path(__file__).resolve().parents[1]
PAIRS = 7
COLUMNS = [name for name, about in frameworks([]).items() if about.family != "host"]
CONFIG = {
    "scale": "smoke",
    "accelerator": "cpu",
    "threads": 1,
    "runs": 3,
    "models": {"bert": {"fit": [1, 2, 3, 4, 5, 6], "predict": [1, 2, 3, 4, 5]}},
    "columns": COLUMNS,
}
LARGE = {**CONFIG, "runs": 5, "models": {"bert": {"fit": list(range(1, 1668))}}}
MANY_JOBS = """\
rule all:
    input:
        expand("made/{number}", number=range(NUMBER)),


rule made:
    output:
        "made/{number}",
    params:
        identity=lambda wildcards: wildcards.number,
    shell:
        "echo {params.identity} > {output}"
"""


def main() -> None:
    large = sys.argv[1:] == ["large"]
    with tempfile.TemporaryDirectory() as folder:
        small, copy = Path(folder, "small"), Path(folder, "project")
        small.mkdir()
        copy_tree(copy)
        compared(small, copy, LARGE if large else CONFIG, 1 if large else PAIRS)
        default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
        print(f"default plan   {plan_seconds(default):.2f} s")
        print(f"200 columns    {plan_seconds({**default, 'columns': many_columns(200)}):.2f} s")


def compared(small: Path, copy: Path, config: dict, pairs: int) -> None:
    """Print our numbers next to those of the workflow of one rule; the bar is 1.5 times those."""
    start_in(copy, config)
    plan = Plan(config)
    jobs = len(plan.timed)
    print(f"{len(plan.rows) * len(COLUMNS):,} cells x {config['runs']}, {jobs:,} timed jobs")
    print(f"plan              {plan_seconds(config):.2f} s")
    (small / "Snakefile").write_text(MANY_JOBS.replace("NUMBER", str(jobs)))
    for what, words in (("all to do", "This was a dry-run"), ("nothing to do", "Nothing to be")):
        if what == "nothing to do":
            finish(copy, config)
            for number in range(jobs):
                write(str(small / f"made/{number}"), "")
            touch(small)
        found = [(spent(small, words), spent(copy, words)) for _ in range(pairs)]
        for name, unit in (("wall", "s"), ("processor", "s"), ("memory", "GiB")):
            one_rule, ours = (
                statistics.median(one[name] for one in each) for each in zip(*found, strict=True)
            )
            ratio = f"{ours / one_rule:.2f} times"
            print(f"{what:14} {name:10} {ours:.2f} {unit}, one rule {one_rule:.2f}: {ratio}")


def start_in(copy: Path, config: dict) -> None:
    (copy / "config/config.yaml").write_text(json.dumps(config))
    os.chdir(copy)


def many_columns(number: int) -> list[dict]:
    """Return the frameworks with a number of threads each, one after the other."""
    entries = [
        {"framework": framework, "precision": precision, "threads": threads}
        for threads in range(1, number)
        for precision in ("default", "float32")
        for framework in COLUMNS
    ]
    return entries[:number]


def plan_seconds(config: dict) -> float:
    """Return seconds until the plan's document is there, with modules and files read already."""
    start = time.perf_counter()
    Plan(config).document()
    return time.perf_counter() - start


def spent(folder: Path, words: str) -> dict[str, float]:
    """Return seconds and the largest GiB of one dry run, which must end with these words.

    On a busy machine the processor's seconds are the ones to compare.
    """
    said, start = folder / ".said", time.perf_counter()
    with said.open("w") as output:
        command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1"]
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
        _, process.returncode, usage = os.wait4(process.pid, 0)
    wall_s, text = time.perf_counter() - start, said.read_text()
    if process.returncode or words not in text:
        sys.exit(f"snakemake did not print: {words}\n" + text[-4000:])
    memory_gib = usage.ru_maxrss / 2**20  # KiB on Linux
    return {"wall": wall_s, "processor": usage.ru_utime + usage.ru_stime, "memory": memory_gib}


def finish(copy: Path, config: dict) -> None:
    """Make every output exist, as after a full run."""
    plan = Plan(config)
    required = schema(Record)["required"]
    assert len(plan.runs) == len(plan.rows) * len(COLUMNS) * config["runs"]
    for run in plan.timed.values():
        record = {**dict.fromkeys(required), "schema": SCHEMA, "identity": run.identity}
        record["parity"] = "x" * 10_000
        write(run.record, json.dumps(record, indent=1, sort_keys=True) + "\n")
    known_steps = plan.controls.known_steps
    write(known_steps.path, json.dumps({"identity": known_steps.identity}))
    if not virtual_prefix("analysis", Path("envs/analysis.yaml")).is_dir():
        sys.exit("the environment of the analysis is not there: make .venv-analysis")
    for path in missing(copy):
        write(path, "")
    touch(copy)


def missing(copy: Path) -> list[str]:
    """Return outputs of all other rules that are missing, as Snakemake lists them."""
    listed = snakemake(copy, "--summary").stdout.splitlines()[1:]
    return [line.split("\t")[0] for line in listed if line.split("\t")[-2] == "missing"]


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


TOUCH = """\
from snakemake.cli import main
from snakemake.executors.touch import Executor
from snakemake.scheduling.job_scheduler import JobScheduler
Executor.SLEEPING_TIME = 0
JobScheduler.job_selector = lambda self, jobs: jobs
main()
"""


def touch(folder: Path) -> None:
    """Take everything as made, and write down with what it was made.

    Snakemake sleeps for a tenth of a second in each job of that kind, and before each it looks
    through all that are left, which takes hours in all: so here all that can start do.
    """
    started(folder, "-c", TOUCH, "--touch", "--forceall").check_returncode()


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return started(folder, "-m", "snakemake", *arguments)


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments, "--cores", "1"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


if __name__ == "__main__":
    main()
