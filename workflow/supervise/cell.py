"""Measure one run of one cell and write its record.

Needs nothing but the standard library of Python 3.11; the framework is imported
in a child process, by the interpreter of the cell's own environment.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from contract import ending
from supervise import jobs, parent, preconditions
from supervise.interrupts import end_with_snakemake, exit_status
from supervise.progress import Progress
from supervise.record import RecordFile
from supervise.skeleton import skeleton
from supervise.terminal import Terminal


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    jobs.add_arguments(parser)
    parser.add_argument("--plan", type=Path, required=True, help="for the progress line")
    parser.add_argument("--record", type=Path, required=True, help="written whole or not at all")
    parser.add_argument("--time-limit-s", type=float, required=True)
    parser.add_argument("--folder", action="append", default=[], help="more models or frameworks")
    parser.add_argument("--monitor-interpreter", help="samples the machine during the run")
    parser.add_argument("--session", type=json.loads, help="of the block that it belongs to, JSON")
    parser.add_argument("--caches", type=Path, help="of the cell, by machine: what compilers keep")
    parser.add_argument("--slots", type=Path, help="where the shares of the machine are locked")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    end_with_snakemake()
    try:
        if options.attempt > 1:
            write_killed(options)
        else:
            measure(options)
    except preconditions.Refused as refusal:
        print(f"millistep: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as end:
        return exit_status(end)
    return 0


def measure(options: argparse.Namespace) -> None:
    """One run, and what is told of it."""
    identity = json.loads(options.identity)
    try:
        environment = jobs.provide(options, identity, options.record)
    except jobs.NoEnvironment as problem:
        write_without_environment(options, problem.not_tried)
        return
    within = options.caches and options.session
    caches = options.caches / options.session["node"] if within else None
    with (
        Progress(options.plan, options.identity).shown(sys.stderr) as measured,
        jobs.in_session(options) as session,
    ):
        measured.append(
            parent.run(
                options.identity,
                environment,
                options.record,
                options.log,
                options.time_limit_s,
                options.memory_limit_mib,
                tuple(options.folder),
                options.monitor_interpreter,
                session,
                caches,
            )
        )


def write_without_environment(options: argparse.Namespace, not_tried: dict[str, str]) -> None:
    """The column's environment cannot be deployed: its cells say why, the others go on."""
    identity = json.loads(options.identity)
    environment = {
        "name": options.environment.stem,
        "method": options.deployment,
        "definition_sha256": identity["environment"],
        "python": "",
        "packages": {},
    }
    record = skeleton(options.identity, identity, environment)
    record["not_tried"] = not_tried
    record["status"], record["reason"] = ending.of_record(record)
    write_unmeasured(options, record)


def write_killed(options: argparse.Namespace) -> None:
    """The first attempt was killed together with its supervisor: say so."""
    identity = json.loads(options.identity)
    environment = jobs.provide(options, identity, options.record)
    write_unmeasured(options, skeleton(options.identity, identity, environment))


def write_unmeasured(options: argparse.Namespace, record: dict[str, Any]) -> None:
    """Of a run that was not measured, and what is told of it."""
    with jobs.in_session(options) as session:
        RecordFile(options.record).write_new({**record, "session": session()})
    progress = Progress(options.plan, options.identity)
    Terminal(sys.stderr).leave(*progress.outcome(record))
