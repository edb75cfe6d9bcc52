"""Run one canary, before or after a block, and write what it found, also if it fails.

A canary is fixed work that shows how fast the machine is, pinned, threaded and supervised as a run
is. The one after a block is also the one before the next block, if that follows at once. Its file
keeps the canaries of earlier sittings (sessions), whose records may still be there.
"""

import argparse
import contextlib
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from contract.ending import of_control
from deploy.virtual_environments import write_atomically
from supervise import jobs, preconditions, processors, reading, sitting
from supervise.cards import write_card
from supervise.marks import any_left
from supervise.record import now
from supervise.sitting import AFTER, BEFORE
from supervise.slots import FOLDER
from supervise.terminal import Terminal, say

PROGRAM = Path(__file__).parent.parent / "measure" / "controls" / "canary.py"
TIME_LIMIT_S = 300.0
SCHEMA = "millistep.canary/1"
AT_ONCE_S = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    jobs.add_arguments(parser)
    jobs.add_instead(parser)
    jobs.add_seat(parser)
    parser.add_argument("--block", required=True, help="laptop/bert/fit-b8/round1")
    parser.add_argument("--when", choices=(BEFORE, AFTER), required=True)
    parser.add_argument("--accelerators", nargs="+", required=True, help="of the whole plan")
    parser.add_argument("--monitor-interpreter", help="describes the machine")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    return jobs.exit_code(canary, options)


def canary(options: argparse.Namespace) -> None:
    """Measure; at the second attempt, only say that the first was killed with its supervisor."""
    taken = sitting.taken(
        options.results, options.block, options.around, options.device, options.attempt
    )
    with contextlib.suppress(preconditions.Refused):  # measure() says why
        options = jobs.in_what_can_be_deployed(options)
    with taken as seat:
        started = now()
        describe(options, seat.sitting)
        found = _just_before(options, seat.sitting) or _new(options)
        _keep(options, seat.sitting, found, started)


def describe(options: argparse.Namespace, seat: sitting.Sitting) -> None:
    """Write the machine's card."""
    interpreter = options.monitor_interpreter or sys.executable
    cards = options.results / "machines"
    write_card(interpreter, cards, seat.node, options.accelerators, options.device)


def _new(options: argparse.Namespace) -> dict[str, Any]:
    found = skeleton(options.identity)
    if options.attempt == 1:
        measure(found, options)
    found["status"], found["reason"] = of_control(found)
    if found["status"] != "ok":
        say(f"    canary: {found['status']}: {found['reason']}")
    return found


def _just_before(options: argparse.Namespace, seat: sitting.Sitting) -> dict[str, Any] | None:
    """The canary after a block that has just ended in this slot, to be reused; else None."""
    if options.when == AFTER:
        return None
    try:
        last = json.loads(_last(options, seat).read_text())
        if not 0 <= time.time() - last["finished_s"] < AT_ONCE_S:
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    found: dict[str, Any] = last["canary"]
    identities = [
        options.identity,
        *(json.loads(each)["identity"] for each in options.instead),
    ]
    return found if found["status"] == "ok" and found["identity"] in identities else None


def _last(options: argparse.Namespace, seat: sitting.Sitting) -> Path:
    accelerator = json.loads(options.identity)["accelerator"]
    name = f"{seat.node}-{seat.slot}-{accelerator}.json"
    return Path(options.results, FOLDER, name)


def _keep(
    options: argparse.Namespace, seat: sitting.Sitting, found: dict[str, Any], started: str
) -> None:
    """Write a canary into the file of its block, and for the block that follows at once."""
    about = {"accelerator": options.around, "device": options.device}
    entry = {
        **asdict(seat),
        "affinity": processors.available(),
        "machine": preconditions.machine_card(about),
        "started_at": started,
        "finished_at": now(),
        "canary": found,
        "ended": None,
    }
    earlier = read(options.output)
    for one in earlier:
        killed = any_left(options.results, options.block)
        one["ended"] = one["ended"] or ("killed" if killed else "interrupted")
    others = [one for one in earlier if one["id"] != seat.id]
    jobs.write(options.output, {"schema": SCHEMA, "sittings": [*others, entry]})
    if options.when == AFTER:
        kept = {"finished_s": time.time(), "canary": found}
        write_atomically(_last(options, seat), json.dumps(kept) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """The sittings in a file of canaries; none if the file is missing or broken."""
    return reading.entries(path, "sittings", {"id", "canary", "ended"})


def measure(found: dict[str, Any], options: argparse.Namespace) -> None:
    """Deploy if needed, run the canary, and fill in its result or why there is none."""
    identity, started = json.loads(options.identity), time.monotonic()
    try:
        environment = jobs.provide(options, identity, options.output)
        with Terminal(sys.stderr).during("canary: how fast the machine is"):
            supervised(found, identity, environment, options)
    except (preconditions.Refused, OSError) as refusal:
        found["refused"] = str(refusal)
    found.update(finished_at=now(), total_s=time.monotonic() - started)


def supervised(
    found: dict[str, Any],
    identity: dict[str, Any],
    environment: dict[str, Any],
    options: argparse.Namespace,
) -> None:
    """Run the canary's process; fill in its numbers, and how it ended."""
    request = {"part_s": identity["part_s"]}
    child = jobs.supervised(PROGRAM, request, identity, environment, options, TIME_LIMIT_S)
    found["python_loop_ms"] = child.reported("python_loop", "ms")
    found["memory_copy_gib_per_s"] = child.reported("memory_copy", "gib_per_s")
    found["matmul"] = child.reported("matmul", "products") or []
    found["foreign_cpu_share"] = child.reported("foreign", "share")
    found["ending"] = asdict(child.ending())


def skeleton(identity_text: str) -> dict[str, Any]:
    """A canary that has measured nothing yet."""
    identity = json.loads(identity_text)
    return {
        "identity": identity_text,
        "machine_id": preconditions.machine_card(identity)["id"],
        "started_at": now(),
        "finished_at": now(),
        "total_s": 0.0,
        "status": "",
        "reason": "",
        "ending": None,
        "refused": None,
        "python_loop_ms": None,
        "memory_copy_gib_per_s": None,
        "matmul": [],
        "foreign_cpu_share": None,
    }
