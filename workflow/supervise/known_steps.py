"""Measure steps of known duration as if they were a cell's, and what the monitor costs.

The steps go through the real supervisor, child, timer and record; the monitor is
switched on and off beside a product of two matrices.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from contract.ending import of_control
from measure.protocol import PROTOCOLS
from supervise import jobs, parent, preconditions
from supervise.monitor import Monitor
from supervise.processors import pinned
from supervise.record import now
from supervise.terminal import Terminal

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
MONITOR_PAIR = CONTROLS / "monitor_pair.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    jobs.add_arguments(parser)
    jobs.add_instead(parser)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--monitor-interpreter", help="samples the machine during the run")
    options = parser.parse_args()
    return jobs.exit_code(known_steps, options)


def known_steps(options: argparse.Namespace) -> None:
    """Measure; at the second attempt, only say that the first was killed with its supervisor."""
    with contextlib.suppress(preconditions.Refused):  # measure() says why
        options = jobs.in_what_can_be_deployed(options)
    found = skeleton(options.identity)
    if options.attempt == 1:
        with Terminal(sys.stderr).during("self-test: steps of known duration, about a minute"):
            measure(found, options)
    found["status"], found["reason"] = of_control(found)
    jobs.write(options.output, found)


def skeleton(identity_text: str) -> dict[str, Any]:
    """The content of the known steps' file, with nothing measured yet."""
    return {
        "schema": "millistep.self_test/1",
        "identity": identity_text,
        "started_at": now(),
        "status": "",
        "reason": "",
        "ending": None,
        "refused": None,
        "known_steps": [],
        "same_cell": None,
        "monitor": None,
    }


def measure(found: dict[str, Any], options: argparse.Namespace) -> None:
    """Fill in the known steps, then the monitor's on/off pair."""
    identity = json.loads(options.identity)
    try:
        environment = jobs.provide(options, identity, options.output)
        for step_ms, runs in identity["known_steps"]:
            records = [known_step(identity, step_ms, environment, options) for _ in range(runs)]
            for record in records:
                found["ending"] = record["ending"]
                if record["status"] != "ok":
                    return
            blocks = [record["timing"]["blocks"] for record in records]
            found["known_steps"].append(reported(step_ms, blocks))
        found["monitor"] = monitor_pair(identity, environment, options)
    except (preconditions.Refused, OSError) as refusal:
        found["refused"] = str(refusal)


def known_step(
    identity: dict[str, Any],
    step_ms: float,
    environment: dict[str, Any],
    options: argparse.Namespace,
) -> dict:
    """Measure a run whose step lasts ``step_ms`` milliseconds; return its record."""
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
    job = parent.Job(
        json.dumps(cell, sort_keys=True),
        environment,
        options.log,
        TIME_LIMIT_S,
        options.memory_limit_mib,
        (str(PLUGIN),),
        options.monitor_interpreter,
    )
    with tempfile.TemporaryDirectory(prefix="millistep-", ignore_cleanup_errors=True) as scratch:
        return parent.run(job, Path(scratch, "record.json"))


def reported(step_ms: float, runs: list[list[dict]]) -> dict:
    """The mean over runs as the table has it, in ms; the steps of all runs."""
    steps = [sum(block["steps"] for block in blocks) for blocks in runs]
    elapsed_ns = [sum(block["elapsed_ns"] for block in blocks) for blocks in runs]
    means_ms = [ns / n / 1e6 for ns, n in zip(elapsed_ns, steps, strict=True)]
    return {
        "nominal_ms": step_ms,
        "measured_ms": statistics.geometric_mean(means_ms),
        "steps": sum(steps),
        "runs_ms": means_ms,
    }


def monitor_pair(
    identity: dict[str, Any], environment: dict[str, Any], options: argparse.Namespace
) -> dict | None:
    """Times of a step with and without the monitor; None if either could not be measured."""
    # Its time runs on while it is stopped, for half of the parts: what it missed then it makes up
    # for in the others.
    interval_s = 2 * PROTOCOLS[identity["scale"]].monitor_s
    with Monitor(
        options.monitor_interpreter,
        pinned(identity["threads"]),
        preconditions.visible_device(identity),
        interval_s,
        identity["variables"],
    ) as monitor:
        if monitor.pid is None:
            return None
        request = {
            "pairs": identity["monitor_pairs"],
            "part_s": identity["monitor_part_s"],
            "monitor_pid": monitor.pid,
        }
        child = jobs.supervised(MONITOR_PAIR, request, identity, environment, options, TIME_LIMIT_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(monitor.pid, signal.SIGCONT)  # the child may have ended in between
    pair = child.events.get("pair")
    if pair is None or not monitor.samples:
        return None
    return {name: pair[name] for name in ("on_ms", "off_ms", "step")}
