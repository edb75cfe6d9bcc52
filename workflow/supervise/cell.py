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
from supervise.interrupts import end_with_snakemake
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
    return parser.parse_args()


def main() -> int:
    options = arguments()
    started = options.record.with_name(f".{options.record.name}.started")
    end_with_snakemake()
    if options.attempt > 1 and not started.exists():
        return 1  # the first attempt was refused, and would be again
    try:
        if options.attempt > 1:
            write_killed(options)
        else:
            measure(options, started)
    except preconditions.Refused as refusal:
        print(f"millistep: {refusal}", file=sys.stderr)
        started.unlink(missing_ok=True)
        return 1
    except KeyboardInterrupt:
        started.unlink(missing_ok=True)
        return 130
    except BaseException:
        started.unlink(missing_ok=True)  # only a kill may leave it behind
        raise
    started.unlink(missing_ok=True)
    return 0


def measure(options: argparse.Namespace, started: Path) -> None:
    """One run; ``started`` stays behind only if this very process is killed."""
    identity = json.loads(options.identity)
    try:
        environment = jobs.provide(options, identity, options.record)
    except jobs.NoEnvironment as problem:
        write_without_environment(options, problem.not_tried)
        return
    started.parent.mkdir(parents=True, exist_ok=True)
    started.touch()
    with Progress(options.plan, options.identity).shown(sys.stderr) as measured:
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
    RecordFile(options.record).write_new(record)
    tell(options, record)


def write_killed(options: argparse.Namespace) -> None:
    """The first attempt was killed together with its supervisor: say so."""
    identity = json.loads(options.identity)
    record = skeleton(options.identity, identity, jobs.provide(options, identity, options.record))
    RecordFile(options.record).write_new(record)
    tell(options, record)


def tell(options: argparse.Namespace, record: dict[str, Any]) -> None:
    """What became of a run that was not measured."""
    progress = Progress(options.plan, options.identity)
    Terminal(sys.stderr).leave(*progress.outcome(record))
