"""Measure one run of one cell and write its record.

Needs nothing but the standard library of Python 3.11; the framework is imported
in a child process, by the interpreter of the cell's own environment.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from measure import parent, progress
from measure.record import RecordFile


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--identity", required=True, help="the run's identity, JSON of the plan")
    parser.add_argument("--plan", type=Path, required=True, help="for the progress line")
    parser.add_argument("--deployment", choices=("venv", "conda", "interpreter"), required=True)
    parser.add_argument("--definition", type=Path, required=True, help="yaml of the environment")
    parser.add_argument("--environment", type=Path, required=True, help="marker of its deployment")
    parser.add_argument("--record", type=Path, required=True, help="written whole or not at all")
    parser.add_argument("--log", type=Path, required=True, help="what the framework prints")
    parser.add_argument("--time-limit-s", type=float, required=True)
    parser.add_argument("--memory-limit-mib", type=float, required=True)
    parser.add_argument("--attempt", type=int, default=1, help="2 after the whole job was killed")
    parser.add_argument("--folder", action="append", default=[], help="more models or frameworks")
    parser.add_argument("--monitor-interpreter", help="samples the machine during the run")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    started = options.record.with_name(f".{options.record.name}.started")
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Python leaves SIGINT alone where its caller ignores it, as a background shell does.
        signal.signal(ending, signal.default_int_handler)
    if options.attempt > 1 and not started.exists():
        return 1  # the first attempt was refused, and would be again
    try:
        if options.attempt > 1:
            write_killed(options)
        else:
            measure(options, started)
    except parent.Refused as refusal:
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
    cell = json.loads(options.identity)
    environment = provide(options, cell)
    print(progress.line(options.plan, options.identity), file=sys.stderr, flush=True)
    started.parent.mkdir(parents=True, exist_ok=True)
    started.touch()
    record = parent.run(
        options.identity,
        environment,
        options.record,
        options.log,
        options.time_limit_s,
        options.memory_limit_mib,
        tuple(options.folder),
        options.monitor_interpreter,
    )
    if record["status"] != "ok":
        print(f"    {record['status']}: {record['reason']}", file=sys.stderr, flush=True)


def provide(options: argparse.Namespace, cell: dict) -> dict:
    """The environment's marker, deployed now if what is there is not what was planned."""
    environment = read(options.environment)
    if not as_planned(environment, options.deployment, cell):
        command = [sys.executable, "-s", str(Path(__file__).with_name("environments.py"))]
        command += ["--name", options.environment.stem, "--definition", str(options.definition)]
        command += ["--method", options.deployment, "--marker", str(options.environment)]
        if cell["interpreter"]:
            command += ["--interpreter", cell["interpreter"]]
        if subprocess.run(command).returncode:
            raise parent.Refused(f"{options.record}: not measured, its environment is not there")
        environment = read(options.environment)
    return environment


def as_planned(environment: dict | None, deployment: str, cell: dict) -> bool:
    """Whether a marker speaks of an environment that is there and is the one planned."""
    return (
        environment is not None
        and environment["method"] == deployment
        and environment["definition_sha256"] == cell["environment"]
        and os.access(environment["interpreter"], os.X_OK)
        and (deployment != "conda" or Path(environment["prefix"]) == Path(sys.prefix))
    )


def read(marker: Path) -> dict | None:
    """A marker, or None where there is none that can be read."""
    try:
        return json.loads(marker.read_text())
    except (OSError, ValueError):
        return None


def write_killed(options: argparse.Namespace) -> None:
    """The first attempt was killed together with its supervisor: say so."""
    cell = json.loads(options.identity)
    record = parent.skeleton(options.identity, cell, provide(options, cell))
    RecordFile(options.record).write_new(record)
    print(f"    killed: {record['reason']}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
