"""Are times in turns those of a process that is timed alone? Six cells, round by round.

Each round is measured twice, in turns and with ``resident: 1``, in alternating order. Printed are
the ratios of both times, with the 95 % interval over rounds.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.stats import t

from millistep.supervise.record import step_ms

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / ".snakemake/millistep/alone.yaml"
MODELS = {"bert": {"predict": [32]}, "gemma": {"fit": [8]}}
COLUMNS = ["keras3-tensorflow", "keras3-jax", "pytorch-eager"]
RESIDENT = {"turns": "auto", "alone": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int)
    options = parser.parse_args()
    for number in range(1, options.rounds + 1):
        for name in sorted(RESIDENT, reverse=number % 2 == 1):
            measure(name, number)
    logs = {}
    for path in sorted((ROOT / "results/studies/turns/records").rglob("run*.json")):
        alone = Path(str(path).replace("/studies/turns/", "/studies/alone/"))
        logs.setdefault(path.parent, []).append(np.log(ms(path) / ms(alone)))
    for cell, found in logs.items():
        show("/".join(cell.parts[-3:]), found)
    show("all", np.mean(list(logs.values()), axis=0))


def measure(name, rounds):
    """Measure one more round of all cells."""
    study = {"name": name, "title": name, "question": "Does taking turns change the times?"}
    content = {"study": study, "scale": "laptop", "models": MODELS, "columns": COLUMNS}
    content |= {"runs": rounds, "resident": RESIDENT[name]}
    STUDY.parent.mkdir(parents=True, exist_ok=True)
    STUDY.write_text(yaml.safe_dump(content))
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", str(STUDY)]
    subprocess.run([*command, "--quiet", "all"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def ms(path):
    return step_ms(json.loads(path.read_text()))


def show(name, logs):
    half = t.ppf(0.975, len(logs) - 1) * np.std(logs, ddof=1) / len(logs) ** 0.5
    low, ratio, high = np.exp(np.mean(logs) + np.array([-half, 0, half]))
    print(f"{name}: in turns over alone {ratio:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
