"""Measurements of the measuring itself: the reference workload, known steps, and the self-test."""

import argparse
import json
import secrets
import statistics
from dataclasses import asdict
from pathlib import Path
from typing import Any

from millistep.deploy.virtual_environments import write_atomically
from millistep.supervise import jobs, parent, preconditions
from millistep.supervise.description import write_description
from millistep.supervise.record import now, step_ms
from millistep.supervise.turns import CPU, Member
from millistep.supervise.watch import Job

REFERENCE = "millistep.measure.controls.reference"
REFERENCE_LIMIT_S = 300.0


def measure_reference() -> int:
    """Measure the reference workload before a round: fixed work that shows how fast the machine is,
    pinned, threaded and supervised as a run is.
    """
    parser = argparse.ArgumentParser(description=measure_reference.__doc__)
    jobs.add_control(parser)
    jobs.add_seat(parser)
    parser.add_argument("--accelerators", nargs="+", required=True, help="of the whole plan")
    options = parser.parse_args()
    scale, model, rest, name = options.round.split("/")
    task, _, batch_size = rest.rpartition("-b")
    cell = {"scale": scale, "model": model, "task": task, "batch_size": int(batch_size)}
    empty = {
        "schema": "millistep.reference/1",
        "fingerprint": options.identity,
        "cell": {**cell, "accelerator": json.loads(options.identity)["accelerator"]},
        "round": int(name.removeprefix("round")),
        "finished_at": now(),
        **dict.fromkeys(("python_loop_ms", "memory_copy_gib_per_s", "foreign_cpu_share")),
        "session": None,
        "matmul": [],
    }
    return jobs.control(reference, empty, options)


def reference(options: argparse.Namespace, found: dict[str, Any]) -> None:
    """Fill in the numbers, and how the process ended; raises Refused and OSError."""
    found["session"], place = jobs.session(options)
    with place as member, member.computing():
        write_description(options.results / "machines", options.accelerators, options.device)
        identity, environment = preconditions.provide_any(options)
        job = Job(identity, environment, options.log, REFERENCE_LIMIT_S, options.memory_limit_mib)
        with parent.supervised(REFERENCE, {"part_s": job.identity["part_s"]}, job) as child:
            child.until("done")
    found["fingerprint"] = identity
    found["python_loop_ms"] = child.reported("python_loop", "ms")
    found["memory_copy_gib_per_s"] = child.reported("memory_copy", "gib_per_s")
    found["matmul"] = child.reported("matmul", "products") or []
    found["foreign_cpu_share"] = child.reported("foreign", "share")
    found["ending"] = asdict(child.ending())
    found["finished_at"] = now()


PLUGIN = Path(__file__).parent.parent / "measure/controls/known_step"
KNOWN_STEPS_LIMIT_S = 600.0
# Facts of the identity that all runs share.
SHARED = ("device", "environment", "library", "scale", "seed", "threads", "variables")


def measure_known_steps() -> int:
    """Measure steps of known duration with the supervisor, child, timer and record of a cell."""
    parser = argparse.ArgumentParser(description=measure_known_steps.__doc__)
    jobs.add_control(parser)
    options = parser.parse_args()
    empty = {"schema": "millistep.self_test/1", "identity": options.identity}
    return jobs.control(known_steps, {**empty, "known_steps": [], "same_cell": None}, options)


def known_steps(options: argparse.Namespace, found: dict[str, Any]) -> None:
    """Fill in the known steps; raises Refused and OSError."""
    own = secrets.token_hex(8)
    # The steps use CPUs that the host's part of a GPU's runs needs.
    with Member(CPU, own, [own], own) as member, jobs.nothing_timed(gpus_only=True):
        with member.computing():
            text, environment = preconditions.provide_any(options)
        identity = json.loads(text)
        limits = KNOWN_STEPS_LIMIT_S, options.memory_limit_mib
        for nominal_ms, runs in identity["known_steps"]:
            cell = json.dumps(_cell(identity, nominal_ms), sort_keys=True)
            job = Job(cell, environment, options.log, *limits, (str(PLUGIN),))
            records = []
            for _ in range(runs):
                record = parent.run(job, member)
                found["ending"] = record["ending"]
                if record["status"] != "ok":
                    return
                records.append(record)
            windows = [window for record in records for window in record["timing"]["windows"]]
            runs_ms = [step_ms(record) for record in records]
            found["known_steps"].append(
                {
                    "nominal_ms": nominal_ms,
                    "measured_ms": statistics.geometric_mean(runs_ms),  # as in the table
                    "steps": sum(window["steps"] for window in windows),
                    "runs_ms": runs_ms,
                }
            )


def _cell(identity: dict[str, Any], step_ms: float) -> dict[str, Any]:
    return {
        **dict.fromkeys(("model", "column", "framework", "module"), "known_step"),
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


def write_self_test() -> None:
    """Put the parts of the self-test together: known steps, and one cell under two names."""
    parser = argparse.ArgumentParser(description=write_self_test.__doc__)
    parser.add_argument("--known-steps", type=Path, required=True)
    parser.add_argument("--first", type=Path, nargs="*", default=[], help="records of the cell")
    parser.add_argument("--second", type=Path, nargs="*", default=[], help="under its other name")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    found = json.loads(options.known_steps.read_text())
    found["same_cell"] = _same_cell(options.first, options.second)
    write_atomically(options.output, json.dumps(found, indent=1, sort_keys=True) + "\n")


def _same_cell(first: list[Path], second: list[Path]) -> dict[str, Any] | None:
    """Return ms per step in rounds that measured both names in one session; None without any."""
    pairs = ([json.loads(p.read_text()) for p in two] for two in zip(first, second, strict=True))
    both = [
        (a, b)
        for a, b in pairs
        if a["status"] == b["status"] == "ok" and a.get("session") == b.get("session")
    ]
    if not both:
        return None
    cell = both[0][0]["cell"]
    return {
        **{name: cell[name] for name in ("model", "task", "batch_size", "column")},
        "a_ms": {str(a["cell"]["run"]): step_ms(a) for a, _ in both},
        "b_ms": {str(b["cell"]["run"]): step_ms(b) for _, b in both},
    }
