"""What the monitor costs a step of known work: its on/off pair, as in the self-test but longer."""

import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from scipy import stats

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT)]

from tests.measure.conftest import ENVIRONMENT  # noqa: E402

from planning.resolve import threads  # noqa: E402

WANTED = {
    "accelerator": "cpu",
    "environment": ENVIRONMENT["definition_sha256"],
    "interpreter": sys.executable,
    "known_steps_ms": [],
    "monitor_pairs": 100,
    "monitor_part_s": 0.5,
    "scale": "laptop",
    "seed": 1,
    "threads": threads("auto"),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        marker, output = Path(folder, "marker.json"), Path(folder, "found.json")
        marker.write_text(json.dumps(ENVIRONMENT))
        command = [sys.executable, "-s", str(ROOT / "workflow/run_known_steps.py")]
        command += ["--identity", json.dumps(WANTED), "--deployment", "interpreter"]
        command += ["--definition", "none", "--environment", str(marker)]
        command += ["--log", str(Path(folder, "log")), "--output", str(output)]
        command += ["--memory-limit-mib", "20000", "--monitor-interpreter", sys.executable]
        subprocess.run(command, check=True)
        found = json.loads(output.read_text())["monitor"]
    pairs = zip(found["on_ms"], found["off_ms"], strict=True)
    differences = [math.log(on / off) for on, off in pairs]
    mean, n = statistics.fmean(differences), len(differences)
    half = stats.t.ppf(0.975, n - 1) * statistics.stdev(differences) / math.sqrt(n)
    low, middle, high = (100 * math.expm1(value) for value in (mean - half, mean, mean + half))
    print(
        f"{found['step']}, {n} pairs: with the monitor {middle:+.3f} % ({low:+.3f} to {high:+.3f})"
    )


if __name__ == "__main__":
    main()
