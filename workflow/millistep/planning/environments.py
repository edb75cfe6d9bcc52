"""The environment in which each column of a plan is measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from millistep.deploy.overlays import with_overlays
from millistep.planning.cells import Environment
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError

if TYPE_CHECKING:
    from millistep.planning.plan import Plan


def environments(plan: Plan, sha256: Callable[[Path], str], envs: Path) -> dict[str, Environment]:
    """Return the environments by name of the column; raises :class:`ConfigError` if one can have
    none.

    sha256: digest of a definition file, given its path. envs: the folder of our definitions, which
    is searched before the user's folders.
    """
    _check_stacks(plan.columns, envs)
    roots = [envs, *(Path(folder, "envs") for folder in plan.config.folders)]
    found: dict[str, Environment] = {}
    first: dict[str, Column] = {}
    for column in plan.columns:
        environment = found[column.name] = _environment(plan, column, sha256, roots)
        other = first.setdefault(environment.word, column)
        if found[other.name] != environment:
            raise ConfigError(
                f"columns: the overlays of {other.name} and {column.name} differ and are "
                "called alike; give a folder another name (a link will do)"
            )
    return found


def _check_stacks(columns: list[Column], envs: Path) -> None:
    allowed = sorted(path.name for path in envs.glob("[0-9]*-[0-9]*"))
    for place, column in enumerate(columns):
        if column.stack not in allowed:
            raise ConfigError(
                f"columns.{place}.stack: unknown stack '{column.stack}'; "
                f"allowed are {', '.join(allowed)}"
            )


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
    words = [name, *(overlay.word for overlay in column.overlay)]
    contents = [overlay.sha256 or overlay.source for overlay in column.overlay]
    return Environment(
        name="+".join(words),
        definition=definition,
        sha256=with_overlays(sha256(definition), contents),
        interpreter=column.interpreter,
        overlay=column.overlay,
        folder=plan.results,
    )
