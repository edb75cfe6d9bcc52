"""Arguments, environments and ends by a signal, shared by all commands that time something."""

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from millistep.deploy import conda, environments
from millistep.deploy.failures import KnownProblem
from millistep.deploy.virtual_environments import COMPLETE, EnvironmentProblem, write_atomically
from millistep.supervise import cgroup, device, machine, preconditions, processors, variables
from millistep.supervise.ending import of_control
from millistep.supervise.interrupts import end_after_snakemake, end_with_snakemake
from millistep.supervise.terminal import say
from millistep.supervise.watch import Watched


class NoEnvironment(preconditions.Refused):
    """The environment cannot be installed.

    not_tried: the reason, as a record has it. known: this start has printed the reason before.
    """

    def __init__(self, problem: EnvironmentProblem):
        super().__init__(str(problem))
        self.not_tried = {"not_deployed": str(problem)}
        self.known = isinstance(problem, KnownProblem)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of all commands that measure in a framework's environment."""
    parser.add_argument("--identity", required=True, help="all that defines the number, as JSON")
    parser.add_argument("--deployment", choices=("venv", "conda", "interpreter"), required=True)
    parser.add_argument("--definition", type=Path, required=True, help="yaml of the environment")
    parser.add_argument("--environment", type=Path, required=True, help="marker of its deployment")
    parser.add_argument("--start", help="id of the start of Snakemake")
    parser.set_defaults(another=False)
    parser.add_argument("--overlay", action="append", default=[], help="put over the environment")
    parser.add_argument("--log", type=Path, required=True, help="what the framework prints")
    parser.add_argument(
        "--memory-gib",
        dest="memory_limit_mib",
        type=machine.memory_limit_mib,
        required=True,
        help="that the run may use of the host's; auto for most of what there is",
    )
    parser.add_argument("--attempt", type=int, default=1, help="2 after the whole job was killed")


def add_seat(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that take the machine, see :mod:`supervise.session`."""
    parser.add_argument("--results", type=Path, required=True, help="folder of all results")
    parser.add_argument(
        "--around",
        choices=("cpu", "cuda"),
        required=True,
        help="cuda if any run of the round is on a GPU",
    )
    parser.add_argument("--device", default="auto", help="the GPU that the plan is for")


def add_instead(parser: argparse.ArgumentParser) -> None:
    """Add the option for other environments, see :func:`in_what_can_be_deployed`."""
    parser.add_argument(
        "--instead", action="append", default=[], help="other options, as JSON, in their order"
    )


def written(output: Path, found: dict[str, Any]) -> None:
    """Write JSON to a file, atomically; raises OSError."""
    write_atomically(output, json.dumps(found, indent=1, sort_keys=True) + "\n")


def exit_code(
    job: Callable[[argparse.Namespace, dict[str, Any]], None],
    empty: dict[str, Any],
    options: argparse.Namespace,
) -> int:
    """Run a control, write what it found, and return the exit status: 0, 1 if the file cannot be
    written, 130 or 143 after a signal.

    empty: the file's content before anything is measured; the second attempt of a job writes it,
    since the first one was killed.
    """
    end_with_snakemake()
    found = empty
    try:
        if options.attempt == 1:
            try:
                job(options, found)
            except (preconditions.Refused, device.NoSuchDevice, OSError) as problem:
                found["refused"] = str(problem)
        found["status"], found["reason"] = of_control(found)
        if found["status"] != "ok":
            say(f"{options.output}: {found['status']}: {found['reason']}")
        written(options.output, found)
    except KeyboardInterrupt as end:
        return end_after_snakemake(end)
    except OSError as problem:
        say(f"millistep: {problem.filename or options.output}: {problem.strerror}")
        return 1
    return 0


def provide(options: argparse.Namespace, identity: dict[str, Any], output: Path) -> dict[str, Any]:
    """Return the marker of the environment, which is installed first if it is not as planned.

    output: the file that cannot be measured without it. Raises
    :class:`supervise.preconditions.Refused`, of which :class:`NoEnvironment` is one.
    """
    available = len(processors.available())
    if available < identity["threads"]:
        raise preconditions.Refused(
            f"{output}: planned for {identity['threads']} threads, only {available} CPUs are usable"
        )
    if processors.within_the_quota(available) < identity["threads"]:
        raise preconditions.Refused(
            f"{output}: planned for {identity['threads']} threads, the container's quota of CPU "
            f"time is {cgroup.processor_time():g} CPUs"
        )
    environment = read(options.environment)
    if environment is not None and as_planned(environment, options, identity):
        return environment
    try:
        return environments.deployed(
            environments.Wanted(
                name=options.environment.stem,
                definition=options.definition,
                method=options.deployment,
                marker=options.environment,
                interpreter=identity["interpreter"],
                overlay=options.overlay,
                planned=identity["environment"],
                start=options.start,
                another=options.another,
            )
        )
    except EnvironmentProblem as problem:
        raise NoEnvironment(problem) from None
    except OSError as problem:
        say(f"{options.environment.stem}: {problem}")
        raise preconditions.Refused(
            f"{output}: not measured, its environment is not there"
        ) from None


def in_what_can_be_deployed(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options with an environment that can be installed: their own, else the first
    possible one of ``instead``, as several libraries can do fixed work. Without any, their own.

    Raises :class:`supervise.preconditions.Refused` for a problem that no environment would solve.
    """
    for place, instead in enumerate([{}, *map(json.loads, options.instead)]):
        tried = argparse.Namespace(**{**vars(options), **instead, "another": place > 0})
        tried.environment, tried.definition = Path(tried.environment), Path(tried.definition)
        try:
            provide(tried, json.loads(tried.identity), options.output)
        except NoEnvironment as problem:
            if not problem.known:
                say(f"millistep: environment {tried.environment.stem}: {problem}")
            continue
        return tried
    return options


def as_planned(
    environment: dict[str, Any], options: argparse.Namespace, identity: dict[str, Any]
) -> bool:
    """Return True if a marker's environment is there, complete, and the one planned."""
    prefix, below = environment.get("prefix", ""), environment.get("beneath")
    folder = Path(below or prefix)
    if options.deployment == "conda":
        found = conda.is_complete(folder, options.definition)
        usable = found and (options.another or folder == conda.activated())
    else:
        usable = folder.is_dir()
    # The user's own interpreter is in no digest; under an override it is not in the marker either.
    own = None if below else identity.get("interpreter")
    return (
        usable
        and environment.get("method") == options.deployment
        and (own is None or environment.get("interpreter") == environments.users_interpreter(own))
        and environment.get("definition_sha256") == identity["environment"]
        and os.access(environment.get("interpreter", ""), os.X_OK)
        and not any(_is_newer(Path(each), options.environment) for each in (prefix, folder))
    )


def _is_newer(prefix: Path, marker: Path) -> bool:
    """Return True if an environment was made again after its marker was written."""
    mark = prefix / COMPLETE
    return mark.exists() and mark.stat().st_mtime_ns > marker.stat().st_mtime_ns


def read(marker: Path) -> dict[str, Any] | None:
    """Read a marker; None if it is missing or broken."""
    try:
        found = json.loads(marker.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def supervised(
    program: str,
    request: dict[str, Any],
    identity: dict[str, Any],
    environment: dict[str, Any],
    options: argparse.Namespace,
    time_limit_s: float,
) -> Watched:
    """Run a measuring process to its end; return its reports and its ending.

    In addition to the request it gets the accelerator, library, seed, threads, CPUs, GPU and
    environment variables of the identity. Raises :class:`supervise.preconditions.Refused`.
    """
    preconditions.check_environment(identity, environment)
    common = {name: identity[name] for name in ("accelerator", "library", "seed", "threads")}
    common["affinity"] = processors.pinned(identity["threads"])
    options.log.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="millistep-", ignore_cleanup_errors=True) as scratch,
        Watched(
            environment["interpreter"],
            {**common, **request},
            variables.of_process(
                identity, Path(scratch), preconditions.visible_device(identity) or ""
            ),
            options.log,
            time_limit_s,
            options.memory_limit_mib,
            lambda found: preconditions.check_packages(environment, found),
            program=program,
        ) as child,
    ):
        child.until("done")
    return child
