"""What the commands that time something share: arguments, their environment, an end by signal."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deploy import environments
from deploy.overlaid import Uninstallable
from deploy.virtual_environments import EnvironmentProblem, write_atomically
from supervise import device, memory, preconditions, processors, variables
from supervise.interrupts import end_with_snakemake, exit_status
from supervise.watch import Watched


class NoEnvironment(preconditions.Refused):
    """The environment cannot be deployed; why is in a record's ``not_tried``."""

    def __init__(self, not_tried: dict[str, str]):
        super().__init__(next(iter(not_tried.values())))
        self.not_tried = not_tried


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Of every command that measures in a framework's environment."""
    parser.add_argument("--identity", required=True, help="all that defines the number, as JSON")
    parser.add_argument("--deployment", choices=("venv", "conda", "interpreter"), required=True)
    parser.add_argument("--definition", type=Path, required=True, help="yaml of the environment")
    parser.add_argument("--environment", type=Path, required=True, help="marker of its deployment")
    parser.add_argument("--overlay", action="append", default=[], help="put over the environment")
    parser.add_argument("--log", type=Path, required=True, help="what the framework prints")
    parser.add_argument(
        "--memory-gib",
        dest="memory_limit_mib",
        type=memory.limit_mib,
        required=True,
        help="that the run may use of the host's; auto for most of what there is",
    )
    parser.add_argument("--attempt", type=int, default=1, help="2 after the whole job was killed")


def add_seat(parser: argparse.ArgumentParser) -> None:
    """Of every command that belongs to a block, see :func:`supervise.sitting.taken`."""
    parser.add_argument("--results", type=Path, required=True, help="folder of all results")
    parser.add_argument("--around", choices=("cpu", "cuda"), required=True, help="the block is on")
    parser.add_argument("--device", default="auto", help="the GPU that the plan is for")


def add_instead(parser: argparse.ArgumentParser) -> None:
    """Of a command whose work another framework could do, see :func:`in_what_can_be_deployed`."""
    parser.add_argument(
        "--instead", action="append", default=[], help="other options, as JSON, in their order"
    )


def exit_code(job: Callable[[], None]) -> int:
    """Of a command: 0, or 1 after one line for the user, or 130 after an interrupt."""
    end_with_snakemake()
    try:
        job()
    except (preconditions.Refused, device.NoSuchDevice) as refusal:
        print(f"millistep: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as end:
        return exit_status(end)
    return 0


def provide(options: argparse.Namespace, identity: dict[str, Any], output: Path) -> dict[str, Any]:
    """The environment's marker, deployed now if what is there is not what was planned.

    output: what cannot be measured without it. Raises
    :class:`supervise.preconditions.Refused`, of which :class:`NoEnvironment` is one.
    """
    available = len(processors.available())
    if available < identity["threads"]:
        raise preconditions.Refused(
            f"{output}: planned for {identity['threads']} threads, {available} processors are here"
        )
    environment = read(options.environment)
    if environment is None or not as_planned(environment, options.deployment, identity):
        name = options.environment.stem
        arguments = ["--name", name, "--definition", str(options.definition)]
        arguments += ["--method", options.deployment, "--marker", str(options.environment)]
        arguments += ["--planned", identity["environment"]]
        for overlay in options.overlay:
            arguments += [f"--overlay={overlay}"]
        if identity["interpreter"]:
            arguments += [f"--interpreter={identity['interpreter']}"]
        try:
            environment = environments.deployed(environments.arguments(arguments))
        except Uninstallable as problem:
            raise NoEnvironment({"not_installed": problem.reason}) from None
        except EnvironmentProblem as problem:
            raise NoEnvironment({"not_deployed": problem.reason}) from None
        except OSError as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            raise preconditions.Refused(
                f"{output}: not measured, its environment is not there"
            ) from None
    return environment


def in_what_can_be_deployed(options: argparse.Namespace) -> argparse.Namespace:
    """The options, or those of the first of ``instead`` whose environment can be deployed where its
    own cannot: fixed work can be done by several libraries. Its own again where none can.

    Raises :class:`supervise.preconditions.Refused` for what no environment would mend.
    """
    for place, instead in enumerate([{}, *map(json.loads, options.instead)]):
        tried = argparse.Namespace(**{**vars(options), **instead})
        tried.environment, tried.definition = Path(tried.environment), Path(tried.definition)
        try:
            provide(tried, json.loads(tried.identity), options.output)
        except NoEnvironment:
            continue
        if place:
            print(f"    in the environment {tried.environment.stem} instead", file=sys.stderr)
        return tried
    return options


def as_planned(environment: dict[str, Any], deployment: str, identity: dict[str, Any]) -> bool:
    """Whether a marker speaks of an environment that is there and is the one planned."""
    return (
        environment["method"] == deployment
        and environment["definition_sha256"] == identity["environment"]
        and os.access(environment["interpreter"], os.X_OK)
        and os.path.isdir(environment.get("beneath", environment["prefix"]))
    )


def read(marker: Path) -> dict[str, Any] | None:
    """A marker, or None where there is none that can be read."""
    try:
        return json.loads(marker.read_text())
    except (OSError, ValueError):
        return None


def supervised(
    program: Path,
    request: dict[str, Any],
    identity: dict[str, Any],
    environment: dict[str, Any],
    options: argparse.Namespace,
    time_limit_s: float,
) -> Watched:
    """A measuring process that has ended: what it reported, and how it ended.

    It gets the accelerator, library, seed, threads, processors, GPU and environment
    variables of the identity besides the request. Raises :class:`supervise.preconditions.Refused`.
    """
    preconditions.check_environment(identity, environment)
    common = {name: identity[name] for name in ("accelerator", "library", "seed", "threads")}
    common["affinity"] = processors.pinned(identity["threads"])
    options.log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        child = Watched(
            environment["interpreter"],
            {**common, **request},
            variables.of_process(
                identity, Path(scratch), preconditions.visible_device(identity) or ""
            ),
            options.log,
            program=program,
        )
        child.wait(
            time_limit_s,
            options.memory_limit_mib,
            lambda found: preconditions.check_packages(environment, found),
        )
    return child


def write(output: Path, found: dict[str, Any]) -> None:
    """Put a file in place, atomically; raises :class:`supervise.preconditions.Refused`."""
    try:
        write_atomically(output, json.dumps(found, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise preconditions.Refused(f"{output}: cannot be written: {error.strerror}") from error
