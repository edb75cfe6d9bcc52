"""Where the seconds of each cell went, from the records in results/."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s", "other_s")


def main():
    print(f"{'cell':60}" + "".join(f"{part:>14}" for part in PARTS) + f"{'total_s':>9}")
    others, total = [], 0.0
    for path in sorted((ROOT / "results/records").rglob("run*.json")):
        record = json.loads(path.read_text())
        timing = record["timing"]
        if not timing:
            continue
        others.append(timing["other_s"])
        total += record["total_s"]
        name = str(path.relative_to(ROOT / "results/records").with_suffix(""))
        values = "".join(f"{timing[part]:14.2f}" for part in PARTS)
        print(f"{name:60}{values}{record['total_s']:9.1f}")
    if others:
        print(f"largest other_s: {max(others):.2f} s; all runs together: {total:.0f} s")


if __name__ == "__main__":
    main()
