"""Cost of the monitor for a step of known work: the self-test's on/off pair, many times over."""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from cells import ROOT, environment_of, planned
from scipy import stats


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100)
    options = parser.parse_args()
    plan, runs = planned("laptop", models=["bert"])
    column = plan.controls.column
    environment = environment_of(plan, next(run for run in runs if run.column == column))
    identity = {**json.loads(plan.controls.known_steps.identity), "known_steps": []}
    identity["monitor_pairs"] = options.pairs
    with tempfile.TemporaryDirectory() as folder:
        marker, output = Path(folder, "marker.json"), Path(folder, "found.json")
        marker.write_text(json.dumps(environment))
        command = [sys.executable, "-s", str(ROOT / "workflow/supervise"), "known_steps"]
        command += ["--identity", json.dumps(identity), "--deployment", environment["method"]]
        command += ["--definition", "none", "--environment", str(marker)]
        command += ["--log", str(Path(folder, "log")), "--output", str(output)]
        command += ["--memory-gib", "16", "--monitor-interpreter", sys.executable]
        subprocess.run(command, check=True)
        found = json.loads(output.read_text())["monitor"]
    on_ms, off_ms = found["on_ms"], found["off_ms"]
    differences = [math.log(on / off) for on, off in zip(on_ms, off_ms, strict=True)]
    mean, n = statistics.fmean(differences), len(differences)
    half = stats.t.ppf(0.975, n - 1) * statistics.stdev(differences) / math.sqrt(n)
    low, middle, high = (100 * math.expm1(value) for value in (mean - half, mean, mean + half))
    print(f"{found['step']}: {statistics.fmean(off_ms):.3f} ms without the monitor")
    print(f"with it {middle:+.3f} %, 95 % interval {low:+.3f} to {high:+.3f} % ({n} pairs)")


if __name__ == "__main__":
    main()
