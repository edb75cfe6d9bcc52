"""Run one canary and write what it found, whatever becomes of it.

The canary is pinned, threaded and supervised as a run is; it shows how fast the
machine is before and after each block of runs.
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
from supervise import jobs, preconditions
from supervise.record import now
from supervise.terminal import Terminal

PROGRAM = Path(__file__).parent.parent / "measure" / "controls" / "canary.py"
TIME_LIMIT_S = 300.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    jobs.add_arguments(parser)
    jobs.add_instead(parser)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    return jobs.exit_code(lambda: canary(options))


def canary(options: argparse.Namespace) -> None:
    """Measure, or say that the first attempt was killed together with its supervisor."""
    with contextlib.suppress(preconditions.Refused):  # measure() says why
        options = jobs.in_what_can_be_deployed(options)
    found = skeleton(options.identity)
    if options.attempt == 1:
        measure(found, options)
    found["status"], found["reason"] = of_control(found)
    jobs.write(options.output, found)
    if found["status"] != "ok":
        print(f"    canary: {found['status']}: {found['reason']}", file=sys.stderr, flush=True)


def measure(found: dict[str, Any], options: argparse.Namespace) -> None:
    """Fill in what one canary process reported and how it ended."""
    identity, started = json.loads(options.identity), time.monotonic()
    try:
        environment = jobs.provide(options, identity, options.output)
        with Terminal(sys.stderr).during("canary: how fast the machine is"):
            supervised(found, identity, environment, options)
    except preconditions.Refused as refusal:
        found["refused"] = str(refusal)
    found.update(finished_at=now(), total_s=time.monotonic() - started)


def supervised(
    found: dict[str, Any],
    identity: dict[str, Any],
    environment: dict[str, Any],
    options: argparse.Namespace,
) -> None:
    """Fill in the numbers of the canary's process, and how it ended."""
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
