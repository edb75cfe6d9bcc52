"""Valid records of runs that were planned, and nothing measured."""

import json
from pathlib import Path

from ..analysis_fixtures import files
from ..shared import put

MEASURED = next(each for name, each in files("six_columns").items() if "/records/" in name)


def record_text(identity: str, **facts) -> str:
    """Text of a record as it is written, although nothing was measured."""
    found = {**MEASURED, "identity": identity, **facts}
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def write_record(path: Path, identity: str, **facts) -> None:
    put(path, record_text(identity, **facts))


def identities(plan) -> dict[str, str]:
    """Return what defines the content of each file that is timed, by its path."""
    known_steps = plan.controls.known_steps
    found = {path: run.identity for path, run in plan.timed.items()}
    return {**found, known_steps.path: known_steps.identity}
