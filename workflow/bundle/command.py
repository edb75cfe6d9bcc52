"""The command line of a bundle, from its options to the zip with what was measured."""

import argparse
import contextlib
import fcntl
import json
import os
import sys
import time
from pathlib import Path

from bundle import Problem
from bundle.columns import columns, monitor_interpreter
from bundle.machine import check_machine
from bundle.packing import RESULT, pack
from bundle.selection import selected
from bundle.session import Session, missing
from deploy.environments import EnvironmentProblem
from supervise.interrupts import end_by_interrupt, exit_status

PACKING_S = 20.0  # seconds of --stop-after-s that are kept for ending and packing


def main(root: str) -> int:
    """Measure a bundle; exit status 0, 1 after a problem in one line, 130 or 143 after a signal."""
    options = arguments()
    end_by_interrupt()
    try:
        return measure(Path(root), options)
    except (Problem, EnvironmentProblem) as problem:
        print(f"millistep: {' '.join(str(problem).split())}", file=sys.stderr)
    except OSError as error:
        print(f"millistep: {error.filename or root}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt as end:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return exit_status(end)
    return 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the runs of this bundle.")
    parser.add_argument(
        "--interpreter",
        action="append",
        required=True,
        metavar="NAME=PATH",
        help="the Python of a framework or environment; once for each",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="of the runs, such as 'bert/*' or '*/fit-b*/keras3-jax/*'; may be repeated",
    )
    parser.add_argument("--monitor-interpreter", metavar="PATH", help="a Python with psutil")
    parser.add_argument("--time-limit-s", type=seconds, help="of a run; default: as planned")
    parser.add_argument("--stop-after-s", type=seconds, help="end and pack before so long")
    return parser.parse_args()


def seconds(text: str) -> float:
    """The value of an option in seconds, which must be above 0."""
    with contextlib.suppress(ValueError):
        if 0 < (number := float(text)) < float("inf"):
            return number
    raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")


def measure(root: Path, options: argparse.Namespace) -> int:
    """Measure everything that can be measured and is not there yet; then pack all results."""
    bundle, deadline = read(root / "bundle.json"), None
    if options.stop_after_s is not None:
        if options.stop_after_s <= PACKING_S:
            raise Problem(f"--stop-after-s: more than {PACKING_S:g} are needed to end and pack")
        deadline = time.monotonic() + options.stop_after_s - PACKING_S
    check_machine(bundle)
    found = columns(bundle, options.interpreter, root)
    interpreters = [column.interpreter for column in found.values()]
    monitor = monitor_interpreter(options.monitor_interpreter, interpreters, bundle["accelerators"])
    os.chdir(root)  # all paths of the programs that measure start here
    steps = selected(bundle, found, options.only)
    with only_one(root):
        session = Session(bundle, monitor, options.time_limit_s, deadline)
        try:
            ended = session.measure(steps)
        finally:
            packed = pack(root, bundle)
            print(f"{RESULT}: {packed} measured files", file=sys.stderr)
    left, of = missing(steps)
    if left:
        print(f"{ended}; {left} of {of} are left: run it again", file=sys.stderr)
    return 1 if session.refused else 0


def read(path: Path) -> dict:
    """Read ``bundle.json``; raises :class:`Problem`."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: cannot be read ({error}); unpack the bundle again") from None


@contextlib.contextmanager
def only_one(root: Path):
    """Raise :class:`Problem` if another process measures here: both would disturb each other."""
    with open(root / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(f"{root}: another run_bundle.py is measuring here") from None
        yield
