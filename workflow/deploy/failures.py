"""What could not be deployed since Snakemake started: nobody tries it again before the next start.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from deploy.overlaid import Uninstallable
from deploy.virtual_environments import EnvironmentProblem, write_atomically

START = "MILLISTEP_START"  # when Snakemake was started; its jobs inherit it


def begin() -> int:
    """When Snakemake was started, in ns: from then on, what fails is noted for all of its jobs."""
    return int(os.environ.setdefault(START, str(time.time_ns())))


@contextlib.contextmanager
def once_per_start(marker: Path) -> Iterator[None]:
    """Around a deployment: its failure is noted beside its marker, and raised again until the next
    start, with the one line alone.
    """
    start = os.environ.get(START)
    note = marker.with_name(f".{marker.stem}.failed")
    if start:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            before = json.loads(note.read_text())
            if before["start"] == start:
                kind = Uninstallable if before["uninstallable"] else EnvironmentProblem
                raise kind(before["reason"])
    try:
        yield
    except EnvironmentProblem as problem:
        if start:
            uninstallable = isinstance(problem, Uninstallable)
            found = {"start": start, "reason": problem.reason, "uninstallable": uninstallable}
            with contextlib.suppress(OSError):
                write_atomically(note, json.dumps(found) + "\n")
        raise
    note.unlink(missing_ok=True)
