"""Checks before a run is measured: of its environment, its GPU and its memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from millistep.supervise import device, machine, sources


class Refused(Exception):
    """This run must not be measured; the message is one line for the user."""


def machine_card(identity: dict[str, Any]) -> dict[str, Any]:
    """Return a record's description of the machine and of the run's GPU; raises
    :class:`Refused`.
    """
    try:
        return machine.summary(identity["accelerator"], identity["device"])
    except device.NoSuchDevice as problem:
        raise Refused(str(problem)) from None


def visible_device(identity: dict[str, Any]) -> str | None:
    """Return the GPU as a run's process and its monitor see it; None for a run on the CPU."""
    if identity["accelerator"] != "cuda":
        return None
    try:
        return device.word(device.chosen(identity["device"]), identity["device"])
    except device.NoSuchDevice as problem:
        raise Refused(str(problem)) from None


def check_environment(identity: dict[str, Any], environment: dict[str, Any]) -> None:
    """Raise :class:`Refused` if an environment is not the one planned."""
    name = environment["name"]
    if environment["definition_sha256"] != identity["environment"]:
        raise Refused(
            f"environment {name}: installed from another definition than the planned one; "
            "run snakemake again to reinstall it"
        )


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
    """Return the record's ``not_tried`` of a cell that cannot fit into memory, None if it may.

    Weights, gradients and optimizer state are a lower bound: a cell that is not tried because of
    them would have failed in any case, after minutes.
    """
    needed = identity["least_memory_mib"]
    if identity["accelerator"] == "cuda" and machine_card["accelerator_memory_mib"]:
        available, of = machine_card["accelerator_memory_mib"], "gpu"
    else:
        available, of = memory_limit_mib, "host"
    if needed <= available:
        return None
    return {"needed_mib": needed, "available_mib": available, "memory_of": of}
