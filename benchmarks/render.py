"""Seconds and memory of drawing the report, for result sets made from real records.

    PYTHONPATH=workflow:. python benchmarks/render.py [laptop] [large]

`laptop`: 12 workloads, 6 configurations, 3 rounds. `large`: 10,002 cells, 5 runs each. The records
are those of tests/analysis_fixtures under other names, with 3 % of noise on their windows.
"""

import copy
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.analysis_fixtures import files

SETS = {"laptop": (12, 3, 25, 2048), "large": (1667, 5, 90, 2048)}  # and seconds, MiB at most


def make(folder: Path, workloads: int, rounds: int) -> Path:
    """Write a result set and return the path of its plan."""
    known = files("six_columns")
    plan = known["results/plan.json"]
    rows, cells, models = plan["rows"], plan["cells"], plan["models"]
    plan |= {"rows": [], "cells": [], "models": {}, "references": [], "runs": rounds}
    generator = random.Random(1)
    for number in range(workloads):
        row = rows[number % len(rows)]
        name = f"{row['model']}{number}"
        title = f"{models[row['model']]['title']} {number}"
        plan["models"][name] = models[row["model"]] | {"title": title}
        plan["rows"].append(row | {"model": name, "title": f"{title} {row['task']}"})
        for cell in cells:
            if any(cell[key] != row[key] for key in ("model", "task", "batch_size")):
                continue
            runs = []
            for run in range(1, rounds + 1 if cell["runs"] else 1):
                old = cell["runs"][(run - 1) % len(cell["runs"])]
                path = f"results/records/{name}/{row['task']}/{cell['column']}/run{run}.json"
                record = copied(known[old["record"]], name, run, number, generator)
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(json.dumps(record))
                runs.append(old | {"run": run, "record": path})
            plan["cells"].append(cell | {"model": name, "runs": runs})
    path = folder / "results/plan.json"
    path.write_text(json.dumps(plan))
    return path


def copied(
    record: dict[str, Any], model: str, run: int, number: int, generator: random.Random
) -> dict[str, Any]:
    """Return the record of another model and round, a bit faster or slower."""
    timing = copy.deepcopy(record["timing"])
    for block in timing["windows"]:
        block["elapsed_ns"] = int(block["elapsed_ns"] * generator.uniform(0.97, 1.03))
    session = record["session"] | {"id": f"{number:08x}{run:04x}"}
    cell = record["cell"] | {"model": model, "run": run}
    return record | {"cell": cell, "timing": timing, "session": session}


def main(names: list[str]) -> int:
    """Print a line per result set and return 1 if a bar is missed."""
    missed = 0
    for name in names or [*SETS]:
        workloads, rounds, most_seconds, most_mib = SETS[name]
        with tempfile.TemporaryDirectory() as folder:
            plan = make(Path(folder), workloads, rounds)
            command = [sys.executable, "-P", "-m", "millistep", "render"]
            command += ["--plan", str(plan), "--output-dir", str(plan.parent)]
            started = time.monotonic()
            process = subprocess.Popen(command)
            _, status, used = os.wait4(process.pid, 0)
            wall, cpu = time.monotonic() - started, used.ru_utime + used.ru_stime
            with (plan.parent / "runs.csv").open() as lines:
                bad = sum(line["status"] != "ok" for line in csv.DictReader(lines))
        mib = used.ru_maxrss / 1024
        missed += status != 0 or bad > 0 or wall > most_seconds or mib > most_mib
        print(f"{name}: {wall:.1f} s, processor {cpu:.1f} s, {mib:.0f} MiB, {bad} runs not ok")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
