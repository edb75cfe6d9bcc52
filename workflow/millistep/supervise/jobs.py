"""Arguments, sessions and ends by a signal, shared by all commands that time something."""

import contextlib
import errno
import hashlib
import json
import os
import platform
import secrets
import subprocess
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from millistep.deploy.environments import Wanted
from millistep.deploy.virtual_environments import write_atomically
from millistep.supervise import device, machine
from millistep.supervise.console import end_after_snakemake, end_with_snakemake, say
from millistep.supervise.ending import of_control, of_exception
from millistep.supervise.record import now
from millistep.supervise.turns import CPU, Member


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--identity", required=True, help="all that defines the number, as JSON")
    fields = "to measure in, as JSON"
    add("--environment", type=lambda text: Wanted.of(json.loads(text)), required=True, help=fields)
    add("--start", help="id of the start of Snakemake")
    add("--log", type=Path, required=True, help="what the framework prints")
    memory = "host memory that the run may use; auto for most of what there is"
    mib = machine.memory_limit_mib
    add("--memory-gib", dest="memory_limit_mib", type=mib, required=True, help=memory)
    add("--attempt", type=int, default=1, help="2 after the whole job was killed")


def add_seat(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--results", type=Path, required=True, help="folder of all results")
    around = "cuda if any run of the round is on a GPU"
    add("--around", choices=("cpu", "cuda"), required=True, help=around)
    add("--device", default="auto", help="the GPU that the plan is for")
    add("--round", required=True, help="laptop/bert/fit-b8/round1")


def add_control(parser: ArgumentParser) -> None:
    add_arguments(parser)
    parser.add_argument("--output", type=Path, required=True)
    instead = "identity and environment to use if the first cannot be installed, as JSON"
    parser.add_argument("--instead", action="append", default=[], help=instead)


def exit_code(options: Namespace, make: Callable[[Namespace, str], None], problem: str = "") -> int:
    """Make a job's file; return the exit status: 0, 1 if the file cannot be written, 130 or 143
    after a signal.

    make: called with the options, and the reason why the first attempt could not write, or "".
    """
    failed, output = "", options.output
    note = output.with_name(f".{output.name}.unwritten")
    end_with_snakemake()
    try:
        if note.exists():
            words = note.read_text() or os.strerror(errno.ENOSPC)
            failed = f"the first attempt could not write: {words}"
            note.unlink()
        make(options, failed)
    except KeyboardInterrupt as end:
        return end_after_snakemake(end)
    except OSError as error:
        if options.attempt == 1:  # else the first attempt gave the reason
            say(f"millistep: {output}: {problem}{error.strerror}")
            with contextlib.suppress(OSError):  # on a full disk, the note stays empty
                note.write_text(error.strerror or "")
        return 1
    return 0


def control(
    measure: Callable[[Namespace, dict[str, Any]], None], empty: dict[str, Any], options: Namespace
) -> int:
    """Measure a control, and write what was found; return the exit status.

    empty: the file's content without measurements, which the second attempt of a job writes.
    """
    found: dict[str, Any] = {"started_at": now(), "ending": None, "refused": None, **empty}

    def make(options: Namespace, failed: str) -> None:
        if options.attempt == 1:
            try:
                measure(options, found)
            except Exception as error:
                _, found["refused"] = of_exception(error)
        else:
            found["refused"] = failed or None
        found["status"], found["reason"] = of_control(found)
        if found["status"] != "ok":
            say(f"{options.output}: {found['status']}: {found['reason']}")
        write_atomically(options.output, json.dumps(found, indent=1, sort_keys=True) + "\n")

    return exit_code(options, make)


def session(options: Namespace, members: Sequence[str] = ()) -> tuple[dict[str, Any], Member]:
    """Return the session of a workload and round for its files, and a job's place among the members
    that are resident together, or alone. Raises OSError and :class:`device.NoSuchDevice`.
    """
    gpu = device.chosen(options.device) if options.around == "cuda" else None
    uuid, own = gpu.uuid if gpu else None, str(options.output)
    start = options.start or secrets.token_hex(16)
    name = _digest(f"{start} {options.round} {platform.node()} {uuid}")
    together = [*members] if own in members else [own]
    member = Member(uuid or CPU, name, together, own)
    return {"id": name, "device": uuid and _digest(uuid)}, member


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]


@contextlib.contextmanager
def nothing_timed(gpus_only: bool = False) -> Iterator[None]:
    """Hold the machine and all its GPUs: no run is timed meanwhile.

    A process that has joined the machine's group holds the GPUs only.
    """
    own, gpus = secrets.token_hex(8), list[str]()
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ModuleNotFoundError):  # a bundle for CPUs needs no nvidia-ml-py
            gpus = sorted(gpu.uuid for gpu in device.gpus())
        for lock in gpus if gpus_only else [CPU, *gpus]:  # always in this order
            member = stack.enter_context(Member(lock, own, [own], own))
            stack.enter_context(member.computing())
        yield


def alone() -> int:
    """Run a command while no run is timed."""
    parser = ArgumentParser(description=alone.__doc__)
    parser.add_argument("command", nargs="+")
    command = parser.parse_args().command
    end_with_snakemake()
    try:
        with nothing_timed():
            return subprocess.run(command).returncode
    except KeyboardInterrupt as end:
        return end_after_snakemake(end)
