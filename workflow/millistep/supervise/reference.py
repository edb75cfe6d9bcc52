"""Measure the reference workload before a round: fixed work that shows how fast the machine is.

It is pinned, threaded and supervised as a run is.
"""

import argparse
import contextlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from millistep.supervise import jobs, preconditions
from millistep.supervise.description import write_description
from millistep.supervise.record import now
from millistep.supervise.session import Session

PROGRAM = "millistep.measure.controls.reference"
SCHEMA = "millistep.reference/1"
TIME_LIMIT_S = 300.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    jobs.add_arguments(parser)
    jobs.add_instead(parser)
    jobs.add_seat(parser)
    parser.add_argument("--round", required=True, help="laptop/bert/fit-b8/round1")
    parser.add_argument("--accelerators", nargs="+", required=True, help="of the whole plan")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    return jobs.exit_code(reference, empty(options), options)


def reference(options: argparse.Namespace, found: dict[str, Any]) -> None:
    """Fill in the numbers, and how the process ended; raises Refused, NoSuchDevice and OSError."""
    session = Session.of(options.round, options)
    found["session"] = session.recorded()
    with session.member([], str(options.output)) as member, member.computing():
        with contextlib.suppress(preconditions.Refused):  # provide() gives the reason
            options = jobs.in_what_can_be_deployed(options)
        write_description(options.results / "machines", options.accelerators, options.device)
        identity = json.loads(options.identity)
        environment = jobs.provide(options, identity, options.output)
        request = {"part_s": identity["part_s"]}
        child = jobs.supervised(PROGRAM, request, identity, environment, options, TIME_LIMIT_S)
    found["fingerprint"] = options.identity
    found["python_loop_ms"] = child.reported("python_loop", "ms")
    found["memory_copy_gib_per_s"] = child.reported("memory_copy", "gib_per_s")
    found["matmul"] = child.reported("matmul", "products") or []
    found["foreign_cpu_share"] = child.reported("foreign", "share")
    found["ending"] = asdict(child.ending())
    found["finished_at"] = now()


def empty(options: argparse.Namespace) -> dict[str, Any]:
    """Return the file's content before anything is measured."""
    scale, model, rest, name = options.round.split("/")
    task, _, batch_size = rest.rpartition("-b")
    accelerator = json.loads(options.identity)["accelerator"]
    return {
        "schema": SCHEMA,
        "fingerprint": options.identity,
        "cell": {
            "scale": scale,
            "model": model,
            "task": task,
            "batch_size": int(batch_size),
            "accelerator": accelerator,
        },
        "round": int(name.removeprefix("round")),
        "session": None,
        "started_at": now(),
        "finished_at": now(),
        "status": "",
        "reason": "",
        "ending": None,
        "refused": None,
        "python_loop_ms": None,
        "memory_copy_gib_per_s": None,
        "matmul": [],
        "foreign_cpu_share": None,
    }
