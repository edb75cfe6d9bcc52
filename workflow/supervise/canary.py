"""Run one canary and write its file, whatever becomes of it.

The canary is pinned, threaded and supervised as a run is; it shows how fast the
machine is before and after each round.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from contract.ending import of_process
from supervise import jobs, parent
from supervise.record import now

PROGRAM = Path(__file__).parent.parent / "measure" / "controls" / "canary.py"
TIME_LIMIT_S = 300.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    jobs.add_arguments(parser)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    return jobs.exit_code(lambda: canary(options))


def canary(options: argparse.Namespace) -> None:
    """Measure, or say that the first attempt was killed together with its supervisor."""
    found = skeleton(options.identity)
    if options.attempt == 1:
        measure(found, options)
    jobs.write(options.output, found)
    if found["status"] != "ok":
        print(f"    canary: {found['status']}: {found['reason']}", file=sys.stderr, flush=True)


def measure(found: dict, options: argparse.Namespace) -> None:
    """Fill in what one canary process said and how it ended."""
    wanted, started = json.loads(options.identity), time.monotonic()
    found["status"], found["reason"] = "error", "its environment cannot be deployed"
    try:
        environment = jobs.provide(options, wanted, options.output)
        found["status"], found["reason"] = supervised(found, wanted, environment, options)
    except parent.Refused as refusal:
        found["reason"] = str(refusal)
    found.update(finished_at=now(), total_s=time.monotonic() - started)


def supervised(found: dict, wanted: dict, environment: dict, options) -> tuple[str, str]:
    """``(status, reason)`` of the canary's process; its numbers are filled in."""
    task = {"part_s": wanted["part_s"]}
    child = jobs.supervised(PROGRAM, task, wanted, environment, options, TIME_LIMIT_S)
    found["python_loop_ms"] = child.said("python_loop", "ms")
    found["memory_copy_gib_per_s"] = child.said("memory_copy", "gib_per_s")
    found["matmul"] = child.said("matmul", "products") or []
    return of_process(child.ending())


def skeleton(identity: str) -> dict:
    """A canary that has measured nothing yet."""
    wanted = json.loads(identity)
    return {
        "schema": "millistep.canary/1",
        "index": wanted["index"],
        "identity": identity,
        "machine_id": parent.machine_card(wanted)["id"],
        "started_at": now(),
        "finished_at": now(),
        "total_s": 0.0,
        "status": "killed",
        "reason": "the whole job was ended from outside, by a cluster's or the machine's limit",
        "python_loop_ms": None,
        "memory_copy_gib_per_s": None,
        "matmul": [],
    }
