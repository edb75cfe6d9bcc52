"""Check that this machine can measure a bundle."""

import os
import sys

from bundle import Problem
from supervise import device, processors, variables


def check_machine(bundle: dict) -> None:
    """Raise :class:`Problem` if this machine lacks processors or a GPU that every run needs.

    Prints which environment variables of the caller no run will see.
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
