"""How much do two processes of one cell differ? Six cells, each against itself, in turns.

Printed for each: the mean ratio, the standard deviation of one round's ratio, and the share of the
95 % intervals from three rounds that contain 1.
"""

import argparse
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.stats import t

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / ".snakemake/millistep/again.yaml"
CELLS = [
    ("keras2-tensorflow", "bert", "predict", 32),
    ("keras3-jax", "bert", "predict", 32),
    ("keras3-tensorflow", "gemma", "fit", 8),
    ("keras3-torch", "gemma", "generate", 4),
    ("pytorch-eager", "gemma", "fit", 8),
    ("pytorch-compiled", "bert", "predict", 32),
]
MOST_FOREIGN = 0.1  # share of the CPU time of other processes, as in the report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int)
    parser.add_argument("cells", type=int, nargs="*", help="numbers of cells from 0; default: all")
    options = parser.parse_args()
    for number in options.cells or range(len(CELLS)):
        framework, model, task, size = CELLS[number]
        measure(f"again{number}", framework, {model: {task: [size]}}, options.rounds)
        show(f"{model} {task} b{size} {framework}", logs(f"again{number}"))


def measure(name, framework, models, rounds):
    study = {"name": name, "title": name, "question": "How much do two equal processes differ?"}
    content = {"study": study, "scale": "laptop", "models": models, "runs": rounds}
    content["columns"] = [{"framework": framework}, {"framework": framework, "again": True}]
    STUDY.parent.mkdir(parents=True, exist_ok=True)
    STUDY.write_text(yaml.safe_dump(content))
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", str(STUDY)]
    subprocess.run([*command, "--quiet", "all"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def logs(name):
    """Return the log of each round's ratio: the median over neighboring windows."""
    cells = {}
    for path in sorted((ROOT / f"results/studies/{name}/records").rglob("run*.json")):
        record = json.loads(path.read_text())
        foreign = record["load"]["foreign_cpu_share"] or 0  # None: not measured
        if record["status"] == "ok" and foreign < MOST_FOREIGN:
            windows = [w["elapsed_ns"] / w["steps"] for w in record["timing"]["windows"]]
            cells.setdefault(path.parent.name, {})[path.name] = np.array(windows)
    one, again = cells.values()
    return [np.log(np.median(again[run] / one[run])) for run in sorted(one.keys() & again.keys())]


def show(name, logs):
    found = [np.array(rounds) for rounds in itertools.combinations(logs, 3)]
    halves = [t.ppf(0.975, 2) * rounds.std(ddof=1) / 3**0.5 for rounds in found]
    hold = [abs(rounds.mean()) <= half for rounds, half in zip(found, halves, strict=True)]
    half = t.ppf(0.975, len(logs) - 1) * np.std(logs, ddof=1) / len(logs) ** 0.5
    low, ratio, high = np.exp(np.mean(logs) + np.array([-half, 0, half]))
    print(f"{name}: {len(logs)} rounds, mean {ratio:.3f} ({low:.3f} to {high:.3f}), ", end="")
    print(f"SD of a round {np.std(logs, ddof=1):.1%}, intervals with 1: {np.mean(hold):.1%}")


if __name__ == "__main__":
    main()
