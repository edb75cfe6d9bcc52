"""Prints where the seconds of each cell went, and its peak memory, from the records in results/.

The slowest first; the last lines sum up statuses, time and memory of the whole table.
"""

import argparse
import collections
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s", "other_s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slowest", type=int, help="print so many cells; all by default")
    options = parser.parse_args()
    paths = (ROOT / "results/records").rglob("run*.json")
    records = {path: json.loads(path.read_text()) for path in paths}
    slowest = sorted(records, key=lambda path: -records[path]["total_s"])
    print(f"{'run':56}" + "".join(f"{part:>13}" for part in PARTS) + f"{'total_s':>9}{'MiB':>7}")
    for path in slowest[: options.slowest]:
        record = records[path]
        timing = record["timing"] or dict.fromkeys(PARTS, 0.0)
        name = str(path.relative_to(ROOT / "results/records").with_suffix(""))
        values = "".join(f"{timing[part]:13.2f}" for part in PARTS)
        memory_mib = record["memory"]["peak_rss_mib"] or 0.0
        print(f"{name:56}{values}{record['total_s']:9.1f}{memory_mib:7.0f}")
    if records:
        statuses = collections.Counter(record["status"] for record in records.values())
        others = [record["timing"]["other_s"] for record in records.values() if record["timing"]]
        total_s = sum(record["total_s"] for record in records.values())
        memory_mib = max(record["memory"]["peak_rss_mib"] or 0.0 for record in records.values())
        print("statuses: " + ", ".join(f"{n} {status}" for status, n in statuses.items()))
        print(f"largest other_s: {max(others, default=0.0):.2f} s")
        print(f"all runs together: {total_s:.0f} s, peak resident memory {memory_mib:.0f} MiB")


if __name__ == "__main__":
    main()
