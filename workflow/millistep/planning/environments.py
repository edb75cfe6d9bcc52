"""The environment in which each column of a plan is measured."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millistep.deploy.environments import definition_sha256
from millistep.deploy.overlays import with_overlays
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError, check_known

if TYPE_CHECKING:
    from millistep.planning.plan import Plan


@dataclass(frozen=True)
class Environment:
    name: str
    place: str  # its part of paths, such as ``2026-11/cpu/keras3-jax``
    definition: Path
    sha256: str  # of the definition and the overlays
    marker: str  # the file that its deployment writes
    interpreter: str | None = None  # the user's own, instead of the locked one
    overlay: tuple[str, ...] = ()  # arguments for pip

    @property
    def word(self) -> str:
        """Its name in names of rules, such as ``keras3_jax_cpu_2026_11``."""
        return re.sub(r"\W", "_", "_".join(reversed(self.place.split("/"))))

    @property
    def conda(self) -> str | None:
        """The yaml that Snakemake deploys with conda; None if the user gives an interpreter."""
        return None if self.interpreter else str(self.definition.absolute())

    def wanted(self, use_conda: bool) -> dict[str, Any]:
        """Return the fields of :class:`deploy.environments.Wanted`."""
        return {
            "name": self.name,
            "definition": self.definition.as_posix(),
            "method": "interpreter" if self.interpreter else "conda" if use_conda else "venv",
            "planned": self.sha256,
            "marker": self.marker,
            "interpreter": self.interpreter,
            "overlay": list(self.overlay),
        }

    def deployment(self, use_conda: bool) -> str:
        """Return the options of the command that installs it, quoted for a shell."""
        facts = self.wanted(use_conda)
        overlays = [f"--overlay={source}" for source in facts.pop("overlay")]
        options = [f"--{name}={value}" for name, value in facts.items() if value]
        return shlex.join([*options, *overlays])


def environments(plan: Plan, envs: Path) -> dict[str, Environment]:
    """Return the environments by name of the column; raises :class:`ConfigError` if one can have
    none.

    envs: the folder of our definitions, which is searched before the user's folders.
    """
    stacks = sorted(path.name for path in envs.glob("[0-9]*-[0-9]*"))
    roots = [envs, *(Path(folder, "envs") for folder in plan.config.folders)]
    sha256 = cache(definition_sha256)  # the columns share a few definitions
    found: dict[str, Environment] = {}
    first: dict[str, Column] = {}
    for place, column in enumerate(plan.columns):
        check_known(f"columns.{place}.stack", "stack", column.stack, stacks)
        environment = found[column.name] = _environment(plan, column, sha256, roots)
        other = first.setdefault(environment.word, column)
        if found[other.name] != environment:
            raise ConfigError(
                f"columns: the overlays of {other.name} and {column.name} differ and are "
                "called alike; give a folder another name (a link will do)"
            )
    return found


def _environment(
    plan: Plan, column: Column, sha256: Callable[[Path], str], roots: list[Path]
) -> Environment:
    name = column.framework.environment
    # In a plan for a GPU, a column on the CPU has the CUDA environment too, with the GPU hidden
    # from it: so only the device differs between the two.
    kind = "cuda" if "cuda" in (plan.accelerator, column.accelerator) else "cpu"
    paths = [root / column.stack / kind / f"{name}.yaml" for root in roots]
    there = [path for path in paths if path.is_file()]
    if not there and not column.interpreter:
        looked = ", ".join(map(str, paths))
        raise ConfigError(f"{column.name}: there is no environment {name}; searched: {looked}")
    definition = (there or paths)[0]
    if column.interpreter:  # a name that no locked environment has
        name = f"{column.name}+interpreter"
    name = "+".join([name, *(overlay.word for overlay in column.overlay)])
    contents = [overlay.sha256 or overlay.source for overlay in column.overlay]
    place = f"{column.stack}/{kind}/{name}"
    return Environment(
        name=name,
        place=place,
        definition=definition,
        sha256=with_overlays(sha256(definition), contents),
        marker=f"{plan.results}/environments/{place}.json",
        interpreter=column.interpreter,
        overlay=tuple(overlay.source for overlay in column.overlay),
    )
