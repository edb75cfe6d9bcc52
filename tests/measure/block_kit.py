"""A block with three runs of the fake framework, and what its measuring leaves in the folder."""

import json
import sys
from pathlib import Path

from bundle import steps
from bundle.columns import Column
from bundle.session import Session

from ..shared import valid
from .conftest import PLUGINS, identity

RECORDS = "results/records/smoke/fake/fit-b4"
FILE = Path("results/blocks/smoke/fake/fit-b4/round1.json")
COLUMN = Column(sys.executable, "fake.json", "fake.yaml")
BUNDLE = {
    "results": "results",
    "time_limit_s": 60.0,
    "memory_gib": "16",
    "folders": [PLUGINS],
    "accelerators": ["cpu"],
    "device": "auto",
}


def block(**architectures) -> steps.Block:
    """A block with one run in each of these columns, three of them unless they are named."""
    architectures = architectures or {"one": {}, "two": {}, "three": {}}

    def of(column, architecture):
        text = identity(changes={"column": column, "probes": [], "extras": []}, **architecture)
        return steps.File(text, COLUMN, f"{RECORDS}/{column}/run1.json")

    canary = json.loads(identity()) | {"part_s": 0.01}
    return steps.Block(
        path=FILE,
        row={"model": "fake", "task": "fit", "batch_size": 4},
        scale="smoke",
        round=1,
        runs=tuple(of(*column) for column in architectures.items()),
        canaries={"cpu": steps.Timed(json.dumps(canary), COLUMN)},
    )


def measure(asked: steps.Block) -> Session:
    session = Session(BUNDLE, None, None)
    session.measure([asked])
    return session


def sessions() -> list[dict]:
    return valid(json.loads(FILE.read_text()), "block")["sessions"]


def record(column: str) -> dict:
    return valid(json.loads(Path(RECORDS, column, "run1.json").read_text()), "record")


def columns(session: dict) -> list[str]:
    return [path.split("/")[-2] for path in session["runs"]]
