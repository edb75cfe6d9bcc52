"""The environment in which each column of a plan is measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deploy.overlays import with_overlays
from planning.cells import Environment
from planning.columns import Column
from planning.config import ConfigError


class Environments:
    """The environments of a plan's columns; raises :class:`ConfigError` if a column can have none.

    sha256: digest of a definition file, given its path. envs: the folder of our definitions, which
    is searched before the user's folders.
    """

    def __init__(self, plan, sha256: Callable[[Path], str], envs: Path):
        self._plan, self._sha256, self._envs = plan, sha256, envs
        self._check_stacks()
        self.by_column = {column.name: self._environment(column) for column in plan.columns}
        self._check_names()

    def _check_stacks(self) -> None:
        allowed = sorted(path.name for path in self._envs.glob("[0-9]*-[0-9]*"))
        for place, column in enumerate(self._plan.columns):
            if column.stack not in allowed:
                raise ConfigError(
                    f"columns.{place}.stack: unknown stack '{column.stack}'; "
                    f"allowed are {', '.join(allowed)}"
                )

    def _check_names(self) -> None:
        """Raise :class:`ConfigError` if two different environments have the same name."""
        first: dict[str, Column] = {}
        for column in self._plan.columns:
            environment = self.by_column[column.name]
            other = first.setdefault(environment.word, column)
            if self.by_column[other.name] != environment:
                raise ConfigError(
                    f"columns: the overlays of {other.name} and {column.name} differ and are "
                    "called alike; give a folder another name (a link will do)"
                )

    def _environment(self, column: Column) -> Environment:
        name = column.framework.environment
        definition = self._definition(column, name)
        if column.interpreter:  # a name that no locked environment has
            name = f"{column.name}+interpreter"
        words = [name, *(overlay.word for overlay in column.overlay)]
        contents = [overlay.sha256 or overlay.source for overlay in column.overlay]
        return Environment(
            name="+".join(words),
            definition=definition,
            sha256=with_overlays(self._sha256(definition), contents),
            interpreter=column.interpreter,
            overlay=column.overlay,
            folder=self._plan.results,
        )

    def _definition(self, column: Column, name: str) -> Path:
        """The definition (yaml) of a column's environment.

        In a plan for a GPU, a column on the processors has the CUDA environment too, with the GPU
        hidden from it: so nothing but the device differs between the two.
        """
        kind = "cuda" if "cuda" in (self._plan.accelerator, column.accelerator) else "cpu"
        folders = self._plan.config["folders"]
        roots = [self._envs, *(Path(folder, "envs") for folder in folders)]
        paths = [root / column.stack / kind / f"{name}.yaml" for root in roots]
        return next((path for path in paths if path.is_file()), paths[0])
