"""The machine that measures a bundle: whether it can, and its card."""

import os
import subprocess
import sys
from pathlib import Path

from bundle import Problem
from supervise import device, processors, variables


def check_machine(bundle: dict) -> None:
    """Raise :class:`Problem` for a machine that lacks what every run needs.

    Says what of the caller's environment no run will see.
    """
    available = len(processors.available())
    if available < bundle["threads"]:
        raise Problem(
            f"planned for {bundle['threads']} threads, and {available} processors may be used "
            f"here: make the bundle with --config threads={available}"
        )
    try:
        if "cuda" in bundle["accelerators"]:
            device.chosen(bundle["device"])
    except device.NoSuchDevice as problem:
        raise Problem(str(problem)) from None
    left_out = variables.left_out(os.environ, bundle["environment"])
    if left_out:
        words = "not passed on to what is measured, unless the bundle is made with --config"
        print(f"{words} environment={{...}}: {', '.join(left_out)}", file=sys.stderr)


def write_card(interpreter: str, bundle: dict) -> None:
    """The machine's card; a run is worth more than it, so what fails is said and left."""
    card = f"{bundle['results']}/machine.json"
    command = [interpreter, "-s", "-m", "machine_card"]
    command += ["--accelerators", *bundle["accelerators"], "--output", card]
    command += ["--device", str(bundle["device"])]
    environ = {**os.environ, "PYTHONPATH": str(Path("workflow").absolute())}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    if done.returncode:
        print(f"no {card}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
