"""Simulates GPUs that are not there: a command nvidia-smi that answers as the real one."""

import json
import sys
from pathlib import Path

from ..shared import put

PROGRAM = """\
#!{python} -I
import json, sys
answers = json.loads({answers!r})
query = next((a for a in sys.argv if a.startswith("--query-gpu=")), None)
if answers.get("broken"):
    sys.exit("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
if sys.argv[1:] == ["-L"]:
    print("\\n".join(answers["listed"]))
elif query:
    names = query.partition("=")[2].split(",")
    unknown = [name for name in names if name not in answers["known"]]
    if unknown:
        print(f'Field "{{unknown[0]}}" is not a valid field to query.')
        sys.exit(2)
    for gpu in answers["gpus"]:
        print(", ".join(gpu[name] for name in names))
"""
A100 = "NVIDIA A100-SXM4-40GB"
MEMORY_MIB = {A100: "40960", "NVIDIA T400 4GB": "4096", "NVIDIA H200": "143771"}


def uuid(index):
    return f"GPU-{index}d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77"


def part(index, number):
    return f"MIG-{index}{number}384736-a75d-5afc-978f-d2f1294409fd"


def install(folder: Path, models=(A100,), driver="580.82.07", divided=(), before_mig=False, **more):
    """The folder to put first on the PATH. divided: numbers of the GPUs with two instances each."""
    gpus, listed = [], []
    for index, model in enumerate(models):
        mode = "Enabled" if index in divided else "Disabled"
        memory = MEMORY_MIB.get(model, "[N/A]")
        facts = {"index": str(index), "uuid": uuid(index), "name": model, "memory.total": memory}
        gpus.append({**facts, "driver_version": driver, "mig.mode.current": mode})
        listed.append(f"GPU {index}: {model} (UUID: {uuid(index)})")
        if index in divided:
            listed += [f"  MIG 3g.20gb     Device  {k}: (UUID: {part(index, k)})" for k in range(2)]
    known = (
        [name for name in gpus[0] if not (before_mig and name.startswith("mig"))] if gpus else []
    )
    answers = json.dumps({"gpus": gpus, "listed": listed, "known": known, **more})
    program = PROGRAM.format(python=sys.executable, answers=answers)
    return str(put(folder / "nvidia-smi", program, program=True).parent)
