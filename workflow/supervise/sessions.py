"""Put together the sessions of every block from its canaries and records.

Each block has a file ``round<k>.json``; one file more has the digests of all. A session is a
sitting. Sessions that a file has stay: resuming a block, or measuring a column of it again, adds
another one.
"""

import argparse
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.virtual_environments import write_atomically
from supervise import canary, reading
from supervise.marks import any_left
from supervise.sitting import AFTER, DIGITS
from supervise.terminal import say

SCHEMA = "millistep.block/1"
NEEDED = {"id", "started_at", "finished_at", "canaries", "ended", "runs"}
PLACE = ("id", "node", "device", "slot", "slots", "attempt")


@dataclass(frozen=True)
class Block:
    """A block of a plan. row: model, task, batch_size; records: paths in the order of measuring."""

    path: Path
    row: dict[str, Any]
    scale: str
    round: int
    records: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plan", type=Path, required=True, help="whose paths start from here")
    parser.add_argument("--output", type=Path, required=True, help="digests by path")
    options = parser.parse_args()
    results = options.plan.parent
    try:
        blocks = blocks_of(json.loads(options.plan.read_text()))
        digests = {block.path.as_posix(): write(results, block) for block in blocks}
        write_atomically(options.output, json.dumps(digests, indent=1) + "\n")
    except OSError as error:
        say(f"millistep: {error.filename or options.output}: {error.strerror}")
        return 1
    return 0


def blocks_of(plan: dict[str, Any]) -> Iterable[Block]:
    """The blocks of a plan's document."""
    records: dict[tuple[Any, ...], list[tuple[int, str]]] = {}
    for cell in plan["cells"]:
        for run in cell["runs"]:
            key = (cell["model"], cell["task"], cell["batch_size"], run["run"])
            records.setdefault(key, []).append((run["position"], run["record"]))
    for block in plan["blocks"]:
        row = {name: block[name] for name in ("model", "task", "batch_size")}
        ordered = tuple(path for _, path in sorted(records[(*row.values(), block["round"])]))
        yield Block(Path(block["path"]), row, plan["scale"], block["round"], ordered)


def write(results: Path, block: Block) -> str:
    """Write the block's file, unchanged if nothing is new; return its digest. Raises OSError."""
    earlier = reading.entries(block.path, "sessions", NEEDED)
    found = {session["id"]: session for session in earlier}
    for session in sessions(results, block):
        before = found.get(session["id"])
        found[session["id"]] = _continued(before, session) if before else session
    ordered = sorted(found.values(), key=lambda session: (session["started_at"], session["id"]))
    about = {"schema": SCHEMA, "row": block.row, "scale": block.scale, "round": block.round}
    text = json.dumps({**about, "sessions": ordered}, indent=1, sort_keys=True) + "\n"
    write_atomically(block.path, text)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _continued(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """A session with what its file has of it and what is new."""
    if not now["canaries"]:  # the file alone has kept them
        now = {**now, "canaries": before["canaries"], "ended": before["ended"]}
    more = [path for path in now["runs"] if path not in before["runs"]]
    found = {**now, "runs": [*before["runs"], *more]}
    _widen(found, before)
    return found


def sessions(results: Path, block: Block) -> list[dict[str, Any]]:
    """The sessions of a block that its canaries and records tell of."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((block.path.with_suffix("")).glob("*-*.json")):
        when, _, accelerator = path.stem.partition("-")
        for sitting in canary.read(path):
            session = found.setdefault(sitting["id"], _empty(sitting))
            around = session["canaries"].setdefault(accelerator, {"before": None, "after": None})
            around[when] = sitting["canary"]
            if when == AFTER:
                session["ended"] = "done"
            elif session["ended"] is None:
                session["ended"] = sitting["ended"]
            _widen(session, sitting)
    for name in block.records:
        one = _record(name)
        if one is None or not one.get("session"):
            continue
        about = {**one["session"], "affinity": one["threads"]["affinity"]}
        about["machine"] = one["machine"]
        session = found.setdefault(one["session"]["id"], _empty(about))
        session["runs"].append(name)
        _widen(session, one)
    killed = any_left(results, f"{block.scale}/{_row_name(block)}/round{block.round}")
    for session in found.values():
        if session["ended"] is None:
            # Without canaries, a run was asked for by itself.
            cut = "killed" if killed else "interrupted"
            session["ended"] = cut if session["canaries"] else "done"
    return list(found.values())


def _row_name(block: Block) -> str:
    return f"{block.row['model']}/{block.row['task']}-b{block.row['batch_size']}"


def _record(name: str) -> dict[str, Any] | None:
    try:
        return reading.read(name)
    except (FileNotFoundError, reading.Unreadable):
        return None


def _empty(about: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: about[name] for name in PLACE},
        "affinity": about["affinity"],
        "machine": about["machine"],
        "started_at": None,
        "finished_at": None,
        "ended": None,
        "canaries": {},
        "runs": [],
    }


def _widen(session: dict[str, Any], part: dict[str, Any]) -> None:
    """Extend a session's time to that of one of its parts: a run, or a canary's job."""
    started: Sequence[str] = [t for t in (session["started_at"], part["started_at"]) if t]
    ended: Sequence[str] = [t for t in (session["finished_at"], part["finished_at"]) if t]
    session["started_at"] = min(started)
    session["finished_at"] = max(ended, default=None)
