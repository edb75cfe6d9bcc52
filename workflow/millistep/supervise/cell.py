"""Measure one run of one cell and write its record, whatever happens to the run."""

import argparse
import json
import os
import traceback
from pathlib import Path
from typing import Any

from millistep.measure.process import leave
from millistep.supervise import caches, device, ending, jobs, parent, preconditions, reading
from millistep.supervise.interrupts import end_after_snakemake, end_with_snakemake, hold
from millistep.supervise.progress import result
from millistep.supervise.record import RecordFile
from millistep.supervise.session import Session
from millistep.supervise.skeleton import skeleton
from millistep.supervise.terminal import say


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    jobs.add_arguments(parser)
    jobs.add_seat(parser)
    parser.add_argument("--record", type=Path, required=True, help="written whole or not at all")
    parser.add_argument("--members", default="[]", help="records of this round, in turn order")
    parser.add_argument("--resident", type=int, default=1, help="processes in turns at once")
    parser.add_argument("--place", default="", help="[5/204] of this start, for the terminal")
    parser.add_argument("--time-limit-s", type=float, required=True)
    parser.add_argument("--folder", action="append", default=[], help="more models or frameworks")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    end_with_snakemake()
    file = RecordFile(options.record)
    try:
        if options.attempt > 1 and _is_measured(options):
            say(f"{options.record}: already measured, keeping it. Delete it to measure again.")
            return 0
        file.reserve()
        record = recorded(options)
        hold()  # a signal now would lose the run
        if _was_not_tried(record) and _has_earlier(options):
            say(f"{options.record}: keeping the earlier record: {record['reason']}")
        else:
            record = file.write(record)
            say(result(options.place, options.start, options.members, record))
    except KeyboardInterrupt as end:
        return end_after_snakemake(end)
    except OSError as error:
        if options.attempt == 1:  # else the first attempt gave the reason
            say(f"millistep: {options.record}: cannot write the record: {error.strerror}")
        return 1
    finally:
        file.discard()
    leave(0)
    return 0


def recorded(options: argparse.Namespace) -> dict[str, Any]:
    """Return the run's record: measured, or with the reason why it was not."""
    identity = json.loads(options.identity)
    found: dict[str, Any] = skeleton(options.identity, _planned(options, identity))
    session: Session | None = None
    try:
        session = Session.of_run(options, identity)
        place = session.member(json.loads(options.members), str(options.record))
        if options.attempt > 1:
            place.leave_out()
            return {**found, "session": session.recorded()}
        with place as member:
            preconditions.check_files(identity, options.folder)
            with member.computing():
                environment = jobs.provide(options, identity, options.record)
            found = parent.run(_job(options, environment), member)
    except jobs.NoEnvironment as problem:
        found["not_tried"] = problem.not_tried
        found["status"], found["reason"] = ending.of_record(found)
    except (preconditions.Refused, device.NoSuchDevice) as problem:
        found["status"], found["reason"] = "refused", str(problem)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        found["status"], found["reason"] = "refused", f"{error.strerror}{where}"
    except Exception as error:  # a fault of this program costs this run alone
        traceback.print_exc()
        found["status"], found["reason"] = "error", f"millistep: {type(error).__name__}: {error}"
    return {**found, "session": session.recorded() if session else None}


def _planned(options: argparse.Namespace, identity: dict[str, Any]) -> dict[str, Any]:
    """Return a record's description of an environment that was not inspected."""
    return {
        "name": options.environment.stem,
        "method": options.deployment,
        "definition_sha256": identity["environment"],
        "python": "",
        "packages": {},
    }


def _job(options: argparse.Namespace, environment: dict[str, Any]) -> parent.Job:
    return parent.Job(
        options.identity,
        environment,
        options.log,
        options.time_limit_s,
        options.memory_limit_mib,
        tuple(os.path.abspath(folder) for folder in options.folder),
        _caches(options.results, options.record),
    )


def _caches(results: Path, record: Path) -> Path:
    """Return the folder of a cell's compiler caches: ``results/caches/laptop/bert/fit-b8/...``."""
    parts = record.parent.relative_to(results).parts
    inside = parts[1:] if parts[:1] == ("records",) else parts
    return results.joinpath(caches.FOLDER, *inside)


def _is_measured(options: argparse.Namespace) -> bool:
    """Return whether a record of this run is there: its job was killed after it was written."""
    found = _earlier(options)
    return bool(found and found["identity"] == options.identity)


def _has_earlier(options: argparse.Namespace) -> bool:
    """Return whether there is a record of an earlier measurement, which is worth keeping."""
    return _earlier(options) is not None


def _earlier(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return the record that is there; None if it is missing, broken, or was not tried either."""
    try:
        found = reading.read(options.record)
    except (FileNotFoundError, reading.Unreadable):
        return None
    return None if _was_not_tried(found) else found


def _was_not_tried(record: dict[str, Any]) -> bool:
    return record["status"] == "refused" or reading.could_not_begin(record)
