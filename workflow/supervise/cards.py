"""A node's card, which describes it: written by the first block there, and when it would differ.

A run is worth more than the card, so a failure is only printed.
"""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from supervise.machine import card
from supervise.terminal import say

WORKFLOW = Path(__file__).parents[1]


def write_card(
    interpreter: str, folder: Path, accelerators: Sequence[str], device: str | int
) -> None:
    """Write ``<folder>/<machine id>.json``, by an interpreter with psutil and NVML's bindings.

    A hidden file beside it says what it was made from.
    """
    try:
        _write(interpreter, folder, accelerators, device)
    except OSError as problem:
        say(f"no card of this machine: {problem}")


def _write(interpreter: str, folder: Path, accelerators: Sequence[str], device: str | int) -> None:
    own = card(accelerators[0], device)["id"]
    output, made_from = folder / f"{own}.json", folder / f".{own}.made_from"
    now = made_from_now(accelerators, device)
    if output.exists() and made_from.exists() and made_from.read_text() == now:
        return
    folder.mkdir(parents=True, exist_ok=True)
    command = [interpreter, "-s", "-m", "machine_card", "--accelerators", *accelerators]
    command += ["--device", str(device), "--output", str(output)]
    environ = {**os.environ, "PYTHONPATH": str(WORKFLOW.absolute())}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    if done.returncode:
        say(f"no {output}: {done.stderr.strip().splitlines()[-1:]}")
        return
    made_from.write_text(now)


def made_from_now(accelerators: Sequence[str], device: str | int) -> str:
    """All that a card depends on: the machine, its measured devices, the program, as one string."""
    digest = hashlib.sha256()
    for source in sorted((WORKFLOW / "machine_card").glob("*.py")):
        digest.update(source.read_bytes())
    ids = [card(accelerator, device)["id"] for accelerator in accelerators]
    return " ".join([*ids, *accelerators, digest.hexdigest()])
