"""Print a table of the GPU records in this folder.

python3 benchmarks/gpu/show.py
"""

import json
import zipfile
from pathlib import Path

HEAD = (
    "| workload | configuration | ms/step | windows | original method | first step s "
    "| peak GPU MiB | idle | precision |\n|---|---|---:|---:|---:|---:|---:|---:|---|"
)


def line(record: dict) -> str:
    """Return one line of the table."""
    cell, timing, memory = record["cell"], record["timing"], record["memory"]
    if record["status"] != "ok":
        return f"| {name(cell)} | {cell['column']} | {record['status']} | | | | | | |"
    windows = timing["blocks"]
    ms = sum(w["elapsed_ns"] for w in windows) / sum(w["steps"] for w in windows) / 1e6
    legacy = (timing["legacy"] or {}).get("step_ms")
    share = (record["host_overhead"] or {}).get("share")
    values = [
        f"{ms:.2f}",
        str(len(windows)),
        "" if legacy is None else f"{legacy:.2f}",
        f"{timing['first_step_s']:.1f}",
        "" if memory["peak_device_mib"] is None else f"{memory['peak_device_mib']:,.0f}",
        "" if share is None else f"{share:.0%}",
        str(record["parity"]["matmul_precision"]),
    ]
    return f"| {name(cell)} | {cell['column']} | {' | '.join(values)} |"


def name(cell: dict) -> str:
    """Return the workload's name."""
    return f"{cell['model']} {cell['task']} b{cell['batch_size']}"


if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.glob("*.zip")):
        with zipfile.ZipFile(path) as file:
            names = [n for n in sorted(file.namelist()) if n.endswith("/run1.json")]
            print(f"\n{path.name}\n\n{HEAD}")
            print("\n".join(line(json.loads(file.read(n))) for n in names))
