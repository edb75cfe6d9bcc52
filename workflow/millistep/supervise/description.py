"""The description of a machine, for the report: written once, and when it lacks an accelerator."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from millistep.deploy.virtual_environments import write_atomically
from millistep.supervise import device, gpu, host
from millistep.supervise.machine import summary_with
from millistep.supervise.record import now

SCHEMA = "millistep.machine/1"


def write_description(folder: Path, accelerators: Sequence[str], asked: str | int) -> None:
    """Write ``<folder>/<machine id>.json``; raises OSError and NoSuchDevice."""
    description = described(accelerators, asked)
    path = folder / f"{next(iter(description['ids'].values()))}.json"
    if not path.exists() or json.loads(path.read_text())["ids"] != description["ids"]:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(description, indent=1) + "\n")


def described(accelerators: Sequence[str], asked: str | int) -> dict[str, Any]:
    """Return the description of this machine and of the GPU that is measured."""
    found = device.chosen(asked) if "cuda" in accelerators else None
    sections = host.sections()
    if "cuda" in accelerators:
        sections["GPU"] = gpu.facts(device.word(found, asked))
    ids = {kind: summary_with(found if kind == "cuda" else None)["id"] for kind in accelerators}
    return {
        "schema": SCHEMA,
        "ids": ids,
        "collected_at": now(),
        "sections": [
            {
                "title": title,
                "facts": [{"name": name, "value": value} for name, value in facts.items()],
            }
            for title, facts in sections.items()
        ],
    }
