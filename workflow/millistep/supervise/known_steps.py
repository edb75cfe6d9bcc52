"""Measure steps of known duration as if they were a cell's: through the real supervisor, child,
timer and record.
"""

import argparse
import contextlib
import json
import secrets
import statistics
from pathlib import Path
from typing import Any

from millistep.supervise import jobs, parent, preconditions
from millistep.supervise.lock import CPU
from millistep.supervise.record import now
from millistep.supervise.turns import Member

CONTROLS = Path(__file__).parent.parent / "measure" / "controls"
PLUGIN = CONTROLS / "known_step"
TIME_LIMIT_S = 600.0
SHARED = (
    "device",
    "environment",
    "library",
    "scale",
    "seed",
    "threads",
    "variables",
)  # facts of the identity that all runs share


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    jobs.add_arguments(parser)
    jobs.add_instead(parser)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    return jobs.exit_code(known_steps, empty(options), options)


def empty(options: argparse.Namespace) -> dict[str, Any]:
    """Return the file's content before anything is measured."""
    return {
        "schema": "millistep.self_test/1",
        "identity": options.identity,
        "started_at": now(),
        "status": "",
        "reason": "",
        "ending": None,
        "refused": None,
        "known_steps": [],
        "same_cell": None,
    }


def known_steps(options: argparse.Namespace, found: dict[str, Any]) -> None:
    """Fill in the known steps; raises Refused and OSError."""
    own = secrets.token_hex(8)
    with Member(CPU, own, [own], own) as member:
        with member.computing():
            with contextlib.suppress(preconditions.Refused):  # provide() gives the reason
                options = jobs.in_what_can_be_deployed(options)
            identity = json.loads(options.identity)
            environment = jobs.provide(options, identity, options.output)
        for step_ms, runs in identity["known_steps"]:
            records = []
            for _ in range(runs):
                record = parent.run(_job(identity, step_ms, environment, options), member)
                found["ending"] = record["ending"]
                if record["status"] != "ok":
                    return
                records.append(record)
            found["known_steps"].append(
                reported(step_ms, [r["timing"]["windows"] for r in records])
            )


def _job(
    identity: dict[str, Any],
    step_ms: float,
    environment: dict[str, Any],
    options: argparse.Namespace,
) -> parent.Job:
    """Return the job of a run whose step lasts ``step_ms`` milliseconds."""
    cell: dict[str, Any] = {
        "model": "known_step",
        "column": "known_step",
        "framework": "known_step",
        "module": "known_step",
        "task": "predict",
        "batch_size": 1,
        "run": 1,
        "architecture": {"step_ms": step_ms},
        "weights": "random",
        "precision": "default",
        "parameters": 1,
        "least_memory_mib": 0,
        "trains": "nothing",
        "extras": [],
        "probes": [],
        **{name: identity[name] for name in SHARED},
        "accelerator": "cpu",  # a busy wait is the host's work
    }
    return parent.Job(
        json.dumps(cell, sort_keys=True),
        environment,
        options.log,
        TIME_LIMIT_S,
        options.memory_limit_mib,
        (str(PLUGIN),),
    )


def reported(step_ms: float, runs: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the mean over runs as the table has it, in ms; the steps of all runs."""
    steps = [sum(window["steps"] for window in run) for run in runs]
    elapsed_ns = [sum(window["elapsed_ns"] for window in run) for run in runs]
    means_ms = [ns / n / 1e6 for ns, n in zip(elapsed_ns, steps, strict=True)]
    return {
        "nominal_ms": step_ms,
        "measured_ms": statistics.geometric_mean(means_ms),
        "steps": sum(steps),
        "runs_ms": means_ms,
    }
