"""Records with only those fields that a start of Snakemake looks at."""

import json
from pathlib import Path

from supervise.record import SCHEMA, SCHEMA_FILE

from ..shared import put

REQUIRED = json.loads(SCHEMA_FILE.read_text())["required"]


def record_text(identity: str, **facts) -> str:
    """Text of a record as it is written, although nothing was measured."""
    found = {**dict.fromkeys(REQUIRED), "schema": SCHEMA, "identity": identity, **facts}
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def write_record(path: Path, identity: str, **facts) -> None:
    put(path, record_text(identity, **facts))


def identities(plan) -> dict[str, str]:
    """Return what defines the content of each file that is timed, by its path."""
    known_steps = plan.controls.known_steps
    found = {path: run.identity for path, run in plan.timed.items()}
    return {**found, known_steps.path: known_steps.identity}
