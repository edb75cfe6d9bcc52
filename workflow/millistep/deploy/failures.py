"""Failed installations are noted, so that no job of the same start of Snakemake tries them again.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from millistep.deploy.virtual_environments import EnvironmentProblem, write_atomically


class KnownProblem(EnvironmentProblem):
    """A problem that an earlier job of this start had."""


@contextlib.contextmanager
def once_per_start(marker: Path, start: str | None) -> Iterator[None]:
    """Wrap an installation: note its failure next to its marker. Until the next start, raise it
    again without trying. start: its id; None to try in any case.
    """
    note = marker.with_name(f".{marker.stem}.failed")
    if start:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            before = json.loads(note.read_text())
            if before["start"] == start:
                raise KnownProblem(before["reason"])
    try:
        yield
    except EnvironmentProblem as problem:
        if start:
            with contextlib.suppress(OSError):
                write_atomically(note, json.dumps({"start": start, "reason": str(problem)}))
        raise
    note.unlink(missing_ok=True)
