"""Measure one run of one cell and write its record.

Needs nothing but the standard library of Python 3.11; the framework is imported
in a child process, by the interpreter of the cell's own environment.
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contract import ending
from measure.process import leave
from supervise import caches, jobs, parent, preconditions, reading, sitting
from supervise.device import NoSuchDevice
from supervise.interrupts import (
    end_after_snakemake,
    end_with_snakemake,
    exit_status,
    hold,
    number,
)
from supervise.marks import Mark
from supervise.progress import Progress
from supervise.record import RecordFile
from supervise.skeleton import skeleton
from supervise.terminal import Terminal, say

WORKFLOW = Path(__file__).parents[1]
Session = Callable[[], dict[str, Any]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    jobs.add_arguments(parser)
    jobs.add_seat(parser)
    parser.add_argument("--plan", type=Path, required=True, help="for the progress line")
    parser.add_argument("--record", type=Path, required=True, help="written whole or not at all")
    parser.add_argument("--time-limit-s", type=float, required=True)
    parser.add_argument("--folder", action="append", default=[], help="more models or frameworks")
    parser.add_argument("--monitor-interpreter", help="samples the machine during the run")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    end_with_snakemake()
    block = sitting.block_of(json.loads(options.identity))
    mark = Mark(options.results, options.record, block)
    again = options.attempt > 1
    if again and mark.was_refused():
        return 1  # the first attempt said why
    killed = mark.left and (again or sitting.attempt_of_block() > 1)
    try:
        mark.begin()
        seat = sitting.taken(
            options.results, block, options.around, options.device, options.attempt
        )
        with seat as taken:
            if not killed:
                measure(options, taken.session, mark)
            elif mark.restore(options.identity):
                say(f"{options.record}: was measured, and stays as it is")
            else:
                write_killed(options, taken.session)
    except (preconditions.Refused, NoSuchDevice) as refusal:
        say(f"millistep: {refusal}")
        status = 1
    except OSError as error:
        say(f"millistep: {error.filename or options.record}: {error.strerror}")
        status = 1
    except KeyboardInterrupt as end:
        if number(end) == signal.SIGTERM:
            return end_after_snakemake(end)  # a cluster's job, whose second attempt will say so
        status = exit_status(end)
    except Exception:
        mark.end(refused=not again)  # a fault of the program's is no kill
        raise
    else:
        status = 0
    hold()  # a signal between the two that follow would cost what was measured
    mark.end(refused=status == 1 and not again)
    leave(status)
    return status


def measure(options: argparse.Namespace, session: Session, mark: Mark) -> None:
    """Measure one run, and show its line and its result on the terminal."""
    identity = json.loads(options.identity)
    try:
        environment = jobs.provide(options, identity, options.record)
    except jobs.NoEnvironment as problem:
        leave_or_write(options, problem.not_tried, session)
        return
    preconditions.check_files(identity, options.folder)
    job = parent.Job(
        options.identity,
        environment,
        options.log,
        options.time_limit_s,
        options.memory_limit_mib,
        tuple(options.folder),
        options.monitor_interpreter,
        caches_of(options.results, options.record, session()["node"]),
    )
    with Progress(options.plan, options.identity).shown(sys.stderr) as measured:
        measured.append(parent.run(job, options.record, session))
        mark.keep()


def caches_of(results: Path, record: Path, node: str) -> Path:
    """Folder of a cell's compiler caches on a node: ``results/caches/laptop/bert/fit-b8/...``."""
    parts = record.parent.relative_to(results).parts
    inside = parts[1:] if parts[:1] == ("records",) else parts
    return results.joinpath(caches.FOLDER, *inside, node)


def leave_or_write(
    options: argparse.Namespace, not_tried: dict[str, str], session: Session
) -> None:
    """Write a record that says why the environment cannot be deployed; other columns go on.

    A record that was measured earlier is worth more, and stays as it is.
    """
    try:
        if not reading.could_not_begin(reading.read(options.record)):
            why = next(iter(not_tried.values()))
            say(f"{options.record}: could not begin, and stays as it is: {why}")
            return
    except (FileNotFoundError, reading.Unreadable):
        pass
    identity = json.loads(options.identity)
    environment = {
        "name": options.environment.stem,
        "method": options.deployment,
        "definition_sha256": identity["environment"],
        "python": "",
        "packages": {},
    }
    found = skeleton(options.identity, environment)
    found["not_tried"] = not_tried
    found["status"], found["reason"] = ending.of_record(found)
    write_unmeasured(options, found, session)


def write_killed(options: argparse.Namespace, session: Session) -> None:
    """Write a record that says that the first attempt was killed with its supervisor."""
    environment = jobs.provide(options, json.loads(options.identity), options.record)
    write_unmeasured(options, skeleton(options.identity, environment), session)


def write_unmeasured(options: argparse.Namespace, found: dict[str, Any], session: Session) -> None:
    """Write the record of a run that was not measured, and print its outcome."""
    RecordFile(options.record).write_new({**found, "session": session()})
    progress = Progress(options.plan, options.identity)
    Terminal(sys.stderr).leave(*progress.outcome(found))
