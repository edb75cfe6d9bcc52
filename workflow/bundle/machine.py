"""The machine that measures a bundle: whether it can, and its card."""

import os
import subprocess
import sys
from pathlib import Path

from bundle import Problem
from measure import processors

CARD = "results/machine.json"


def check_machine(bundle: dict) -> None:
    """Raise :class:`Problem` for a machine that lacks what every run needs."""
    available = len(processors.available())
    if available < bundle["threads"]:
        raise Problem(
            f"planned for {bundle['threads']} threads, and {available} processors may be used "
            f"here: make the bundle with --config threads={available}"
        )


def write_card(interpreter: str, accelerator: str) -> None:
    """The machine's card; a run is worth more than it, so what fails is said and left."""
    command = [interpreter, "-s", "-m", "machine_card"]
    command += ["--accelerator", accelerator, "--output", CARD]
    environ = {**os.environ, "PYTHONPATH": str(Path("workflow").absolute())}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    if done.returncode:
        print(f"no {CARD}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
