"""Real result sets, shortened: records of two workloads each, by their paths.

`six_columns.json`: BERT fit and Gemma generate at smoke scale with six configurations and three
rounds on two CPU cores. Each profile keeps its 15 longest operations. The share of other processes
is a tenth of the measured one, so that every round can be compared.
`h100.json`: BERT predict and Gemma fit at paper scale on an H100, one run per cell. Some cells are
missing.
`devices.json`: five networks of the study `cpu_against_gpu` at paper scale with Keras 3 (PyTorch)
on the CPU and the GPU of one H100 machine, one run per cell, from benchmarks/gpu. Each profile
keeps its 15 longest operations, lists of packages are shortened, and numbers have nine digits. The
format needs three things that those records lack: windows
start one after another from the start of the run, digests of devices end with zeros, and every run
counts as timed alone.
"""

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _read(name: str) -> dict[str, Any]:
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text())


def files(name: str) -> dict[str, Any]:
    """Return the content of every file of a result set by its path; change it as a test needs."""
    return copy.deepcopy(_read(name))


def write(folder: Path, content: dict[str, Any]) -> Path:
    """Write the files of a result set into a folder and return the path of its plan."""
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data))
    return folder / "results/plan.json"
