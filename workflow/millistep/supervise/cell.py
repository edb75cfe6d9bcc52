"""Measure one run of one cell and write its record, whatever happens to the run."""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from millistep.deploy.virtual_environments import EnvironmentProblem
from millistep.measure.process import leave
from millistep.supervise import caches, ending, jobs, parent, preconditions
from millistep.supervise import record as records
from millistep.supervise.console import hold, say
from millistep.supervise.watch import Job


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    jobs.add_arguments(parser)
    jobs.add_seat(parser)
    parser.add_argument("--record", dest="output", type=Path, required=True, help="whole or not")
    parser.add_argument("--members", default="[]", help="records of this round, in turn order")
    parser.add_argument("--place", default="", help="[5/481] of this start, for the terminal")
    parser.add_argument("--done", type=float, default=0, help="share of all work after this round")
    parser.add_argument("--time-limit-s", type=float, required=True)
    more = "more models or frameworks"
    parser.add_argument("--folder", action="append", default=[], type=os.path.abspath, help=more)
    leave(jobs.exit_code(parser.parse_args(), measure, "cannot write the record: "))


def measure(options: argparse.Namespace, failed: str) -> None:
    """Write the run's record, unless there is one to keep; failed: see :func:`jobs.exit_code`."""
    # The job may have been killed after it had written its record.
    earlier = _earlier(options) if options.attempt > 1 else None
    if earlier and earlier["identity"] == options.identity:
        say(f"{options.output}: already measured, keeping it. Delete it to measure again.")
        return
    with records.reserved(options.output) as partial:
        record = recorded(options, failed)
        hold()  # a signal now would lose the run
        if records.could_not_begin(record) and _earlier(options):
            say(f"{options.output}: keeping the earlier record: {record['reason']}")
        else:
            say(result(options, records.write(record, partial, options.output)))


def recorded(options: argparse.Namespace, failed: str) -> dict[str, Any]:
    """Return the run's record: measured, or with the reason why it was not."""
    identity, wanted = json.loads(options.identity), options.environment
    planned = {"name": wanted.name, "method": wanted.method, "definition_sha256": wanted.planned}
    found = records.skeleton(options.identity, {**planned, "python": "", "packages": {}})
    session: dict[str, Any] | None = None
    try:
        session, place = jobs.session(options, json.loads(options.members))
        if options.attempt > 1:
            place.leave_out()
            if failed:
                raise ending.Refused(failed)
            return {**found, "session": session}
        with place as member:
            preconditions.check_files(identity, options.folder)
            with member.computing():
                environment = preconditions.provide(wanted, identity, options.start)
            found = parent.run(_job(options, environment), member)
    except EnvironmentProblem as problem:
        found["not_tried"] = {"not_deployed": str(problem)}
        found["status"], found["reason"] = ending.of_record(found)
    except Exception as error:
        found["status"], found["reason"] = ending.of_exception(error)
    return {**found, "session": session}


def _job(options: argparse.Namespace, environment: dict[str, Any]) -> Job:
    limits = options.time_limit_s, options.memory_limit_mib
    inside = options.output.parent.relative_to(options.results).as_posix()
    kept = options.results / caches.FOLDER / inside.removeprefix("records/")
    return Job(options.identity, environment, options.log, *limits, tuple(options.folder), kept)


def _earlier(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return the record that is there; None if it is missing, broken, or could not begin either."""
    try:
        found = records.read(options.output)
    except (FileNotFoundError, records.Unreadable):
        return None
    return None if records.could_not_begin(found) else found


def result(options: argparse.Namespace, record: dict[str, Any]) -> str:
    """Return a run's line: ``[5/481] bert fit, batch 8, keras3-jax, run 1: 12.34 ms/step``."""
    cell = record["cell"]
    name = f"{cell['model']} {cell['task']}, batch {cell['batch_size']}, {cell['column']}"
    if json.loads(record["identity"]).get("again") and not name.endswith("+again"):
        name += " again"  # the second measurement of a cell for the self-test
    if record["status"] == "ok":
        found = f"{_ms(records.step_ms(record))} ms/step"
        if record["timing"]["in_turns"] == 1:
            found += ", timed alone"
        if why := records.disturbed(record):
            found += f", affected by interference: {why}"
    else:
        found = f"{record['status']}: {record['reason']}"
    head = f"[{options.place}] " if options.place else ""
    left = _left(options.done, options.start, json.loads(options.members))
    return f"{head}{name}, run {cell['run']}: {found}{left}"


def _ms(value: float) -> str:
    """Return a time with four digits: 214.5, 21.45, 2.145; more before a point: 13071."""
    return f"{value:.0f}" if value >= 1000 else f"{value:#.4g}".rstrip(".")


def _left(done: float, start: str | None, members: list[str]) -> str:
    """Return the time left in words, empty if unknown.

    done: the share of the work that is done after this round of the workload, 0 if unknown.
    start: its id, ns since 1970. members: records of the runs that took turns with this one;
    before the last of them, which end within seconds, the time left is unknown.
    """
    try:
        began_ns = int(start or "")  # a bundle's id is no time
        if not 0 < done < 1 or any(os.stat(path).st_mtime_ns < began_ns for path in members):
            return ""
    except (ValueError, OSError):
        return ""
    left_s = (time.time() - began_ns / 1e9) * (1 / done - 1)
    if left_s < 90:
        return f"; about {left_s:.0f} s left"
    if left_s < 5400:
        return f"; about {left_s / 60:.0f} min left"
    return f"; about {left_s / 3600:.1f} h left"
