"""Failed deployments are noted, so that no job of the same start of Snakemake tries them again.

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


def begin() -> None:
    """Note the time of this start for its jobs, whose failures count until the next."""
    os.environ.setdefault(START, str(time.time_ns()))


@contextlib.contextmanager
def once_per_start(marker: Path) -> Iterator[None]:
    """Wrap a deployment: note its failure beside its marker; until the next start, raise it again
    with the one line of its reason, without trying.
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
