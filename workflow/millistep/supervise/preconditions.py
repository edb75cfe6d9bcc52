"""Checks before a run is measured: of its environment, its GPU and its memory.

A missing environment is installed here.
"""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from millistep.deploy import conda
from millistep.deploy.environments import Wanted, deployed, users_interpreter
from millistep.deploy.virtual_environments import (
    COMPLETE,
    EnvironmentProblem,
    KnownProblem,
    read_json,
)
from millistep.supervise import device, machine, processors, sources
from millistep.supervise.console import say
from millistep.supervise.ending import Refused


def visible_device(identity: dict[str, Any]) -> str | None:
    """Return the GPU as a run's process and its monitor see it; None for a run on the CPU."""
    if identity["accelerator"] != "cuda":
        return None
    return device.word(device.chosen(identity["device"]), identity["device"])


def check_files(identity: dict[str, Any], folders: Sequence[str]) -> None:
    """Raise :class:`Refused` if the user's model or framework was changed since the plan."""
    model = identity.get("builders", identity["model"])
    paths = [Path(folder) for folder in folders]
    if sources.digest(paths, model, identity["family"], identity["module"]) != identity["files"]:
        raise Refused(
            f"the files of model {model} or framework {identity['framework']} changed after the "
            "plan was made; run snakemake again"
        )


def check_packages(environment: dict[str, Any], found: dict[str, Any]) -> None:
    """Raise :class:`Refused` if the packages of an environment changed since its installation."""
    if environment["method"] == "interpreter":
        return  # the user's own: the record lists what it holds
    planned, present = environment["packages"], found["packages"]
    changed = [n for n in sorted({*planned, *present}) if planned.get(n) != present.get(n)]
    if changed:
        name = changed[0]
        raise Refused(
            f"environment {environment['name']}: {name} changed from {planned.get(name, 'none')} "
            f"to {present.get(name, 'none')} since the installation ({len(changed)} packages "
            f"differ); remove {environment['prefix']} and run snakemake again"
        )


def too_large(
    identity: dict[str, Any], machine_card: dict[str, Any], memory_limit_mib: float
) -> dict[str, Any] | None:
    """Return the record's ``not_tried`` of a cell that cannot fit into memory, None if it may: its
    weights, gradients and optimizer state are a lower bound.
    """
    needed, of_gpu = identity["least_memory_mib"], machine_card["accelerator_memory_mib"]
    available, of = (of_gpu, "gpu") if of_gpu else (memory_limit_mib, "host")
    if needed <= available:
        return None
    return {"needed_mib": needed, "available_mib": available, "memory_of": of}


def provide(wanted: Wanted, identity: dict[str, Any], start: str | None) -> dict[str, Any]:
    """Return the marker of the environment, which is installed first if it is not as planned.

    start: id of the start of Snakemake. Raises :class:`Refused`, EnvironmentProblem and OSError.
    """
    threads, available = identity["threads"], len(processors.available())
    if available < threads:
        raise Refused(
            f"planned for {threads} threads, only {available} CPUs are usable; "
            "lower threads, or start again with more CPUs"
        )
    if processors.within_the_quota(available) < threads:
        raise Refused(
            f"planned for {threads} threads, the container's quota of CPU time is "
            f"{machine.processor_time():g} CPUs; lower threads, or raise the quota"
        )
    environment = read_json(wanted.marker)
    try:
        if environment and as_planned(environment, wanted):
            return environment
        return deployed(replace(wanted, start=start))
    except EnvironmentProblem as problem:
        if not isinstance(problem, KnownProblem):  # else the job that tried it printed this
            say(f"millistep: environment {wanted.name}: {problem}")
        raise


def provide_any(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return identity and marker of the first environment that can be installed: the options' own
    or one of ``instead``, as several libraries can do fixed work.

    Raises as :func:`provide`, without any of them for the reason of the first one.
    """
    candidates = [(options.identity, options.environment)]
    for identity, fields in map(json.loads, options.instead):
        candidates.append((identity, replace(Wanted.of(fields), another=True)))
    problems = []
    for identity, wanted in candidates:
        try:
            return identity, provide(wanted, json.loads(identity), options.start)
        except EnvironmentProblem as problem:
            problems.append(problem)
    raise problems[0]


def as_planned(environment: dict[str, Any], wanted: Wanted) -> bool:
    """Return True if a marker's environment is there, complete, and the one planned."""
    prefix, below = environment.get("prefix", ""), environment.get("below")
    folder = Path(below or prefix)
    usable = folder.is_dir()
    if wanted.method == "conda":
        activated = wanted.another or folder == conda.activated()
        usable = activated and conda.is_complete(folder, wanted.definition)
    written_ns = wanted.marker.stat().st_mtime_ns
    marks = [mark for each in (prefix, folder) if (mark := Path(each, COMPLETE)).exists()]
    # The user's own interpreter is in no digest; under an override it is not in the marker either.
    own = None if below else wanted.interpreter
    return (
        usable
        and environment.get("method") == wanted.method
        and (own is None or environment.get("interpreter") == users_interpreter(own))
        and environment.get("definition_sha256") == wanted.planned
        and os.access(environment.get("interpreter", ""), os.X_OK)
        and not any(mark.stat().st_mtime_ns > written_ns for mark in marks)
    )
