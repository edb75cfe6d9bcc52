"""Values of ``auto`` on this machine, and checks that this machine can measure a plan."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from millistep.contracts.config import Config
from millistep.deploy.conda import post_deploy
from millistep.deploy.environments import users_interpreter
from millistep.deploy.virtual_environments import EnvironmentProblem
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError
from millistep.supervise import processors

if TYPE_CHECKING:
    from millistep.planning.plan import Plan


FOUND_HERE = ("auto", "physical")
PAPER_MEMORY_GIB = 38  # the page's A100 has 40 GB; Gemma's fit needs most of it
DEFAULT_RUNS = {"paper": 3, "laptop": 7, "smoke": 1}
DEFAULT_TIME_LIMIT_S = {"paper": 3600, "laptop": 900, "smoke": 900}
# Devices of an NVIDIA driver, or of Windows' for WSL, which are there even without nvidia-smi.
DRIVERS = (Path("/dev/nvidiactl"), Path("/dev/dxg"))
# The oldest driver with which any 12.x or 13.x runs on Linux ("minor version compatibility"):
# NVIDIA, CUDA Toolkit release notes, table of minimum required driver versions.
OLDEST_DRIVER = {12: "525.60.13", 13: "580.65.06"}
NO_GPU = "no NVIDIA GPU was found here"


def scale(plan: Plan) -> tuple[str, str]:
    """Return the scale, and the reason for it in one sentence."""
    if plan.config.scale != "auto":
        return plan.config.scale, f"The configuration sets scale {plan.config.scale}."
    if plan.accelerator != "cuda" or plan.gpu is None:
        have = "no GPU is measured here"
    elif not plan.gpu.memory_mib:
        have = "the memory of the GPU is unknown"
    else:
        have = f"the GPU has {plan.gpu.memory_mib / 1024:.0f} GiB of memory"
        if plan.gpu.memory_mib >= PAPER_MEMORY_GIB * 1024:
            return "paper", f"Scale auto took paper: {have}."
        have += f", paper needs {PAPER_MEMORY_GIB}"
    return "laptop", f"Scale auto took laptop: {have}."


def threads(asked: Any) -> int:
    """Return the number of threads; for auto and physical see :mod:`supervise.processors`."""
    words = {"auto": processors.auto, "physical": processors.physical}
    return words[asked]() if asked in words else int(asked)


def check_independent(config: Config, reason: str) -> None:
    """Raise :class:`ConfigError` if a setting, such as auto, depends on this machine."""
    words = config.model_dump(include={"scale", "accelerator", "threads"})
    found = ", ".join(f"{key}: {word}" for key, word in words.items() if word in FOUND_HERE)
    if found:
        raise ConfigError(
            f"{found} would be resolved on this machine, but {reason}; set it, "
            "for example with --config scale=paper accelerator=cuda threads=8"
        )


def check(plan: Plan) -> None:
    """Raise :class:`ConfigError` if this machine cannot measure a plan as it should."""
    check_device(plan)
    if plan.here:
        check_processors(plan)
        check_interpreters(plan)


def check_processors(plan: Plan) -> None:
    """Raise :class:`ConfigError` if a run has more threads than CPUs that it may use."""
    here = len(processors.available())
    quota = "CPU time of this container's quota, which would stop the run in every period"
    limits = {f"{here} CPUs here": here, quota: processors.within_the_quota(here)}
    asked = {f"columns.{place}.threads": one.threads for place, one in enumerate(plan.columns)}
    for where, threads in {"threads": plan.threads, **asked}.items():
        for of, most in limits.items():
            if threads > most:
                problem = f"{threads} is more than the {of}; allowed are 1 to {most}"
                raise ConfigError(f"{where}: {problem}")


def check_interpreters(plan: Plan) -> None:
    """Raise :class:`ConfigError` if an interpreter of the user's is not here."""
    for column in plan.columns:
        if column.interpreter:
            try:
                users_interpreter(column.interpreter)
            except EnvironmentProblem as problem:
                raise ConfigError(f"interpreter of {column.name}: {problem}") from None


def check_device(plan: Plan) -> None:
    """Raise :class:`ConfigError` if no column, or no cell of any column, can be measured here."""
    reasons = [plan.barred.get(column) for column in plan.columns]
    if all(reasons):
        raise ConfigError(
            f"accelerator: {reasons[0]}, so none of the columns can be measured here; "
            "set accelerator: cpu"
        )
    if not plan.runs:
        reason = next(iter(plan.unsupported.values()))
        raise ConfigError(
            f"columns: none of the cells can be measured; reason for the first: {reason}"
        )


def barred(plan: Plan) -> dict[Column, str]:
    """Return columns that this machine cannot measure, and why; none if another one measures."""
    on_gpu = [column for column in plan.columns if plan.here and column.accelerator == "cuda"]
    return {column: reason for column in on_gpu if (reason := _why_no_cuda(plan, column))}


def _why_no_cuda(plan: Plan, column: Column) -> str | None:
    if plan.gpu is None:
        return None if any(path.exists() for path in DRIVERS) else NO_GPU
    driver, environment = plan.gpu.driver, plan.environment_of(column)
    cuda = cuda_version(post_deploy(environment.definition))
    needed = OLDEST_DRIVER.get(cuda[0]) if cuda and not environment.interpreter else None
    if not (cuda and needed and driver) or Version(driver) >= Version(needed):
        return None
    return f"the NVIDIA driver is {driver}, CUDA {cuda[0]}.{cuda[1]} needs {needed} or newer"


@cache
def cuda_version(lock: Path) -> tuple[int, int] | None:
    """Return (major, minor) of the CUDA runtime among the packages of a lock; None without one."""
    text = lock.read_text() if lock.is_file() else ""  # a user's environment may have no lock
    found = re.search(r"^nvidia-cuda-runtime(?:-cu\d+)?==(\d+)\.(\d+)", text, re.M)
    return (int(found[1]), int(found[2])) if found else None
