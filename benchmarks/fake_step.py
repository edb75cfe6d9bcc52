"""Times a step of known duration by the real supervisor, child and timer."""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT)]

from tests.measure.conftest import ENVIRONMENT, PLUGINS, identity  # noqa: E402

from supervise import parent  # noqa: E402


def main():
    print("step asked (ms)  reported (ms)  error (%)  synchronised p50 (ms)")
    for step_ms in (2.0, 20.0, 200.0):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "run1.json")
            asked = identity("laptop", step_ms=step_ms)
            log = Path(folder, "log")
            parent.run(parent.Job(asked, ENVIRONMENT, log, 300, 20_000, (PLUGINS,)), record)
            timing = json.loads(record.read_text())["timing"]
        steps = sum(block["steps"] for block in timing["blocks"])
        reported = sum(block["elapsed_ns"] for block in timing["blocks"]) / steps / 1e6
        single = sorted(timing["synchronised_ns"])[len(timing["synchronised_ns"]) // 2] / 1e6
        error = 100 * (reported / step_ms - 1)
        print(f"{step_ms:15.2f}  {reported:13.4f}  {error:9.3f}  {single:21.4f}")


if __name__ == "__main__":
    main()
