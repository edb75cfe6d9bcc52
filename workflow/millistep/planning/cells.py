"""The parts of a plan: rows of the table, runs of a cell, environments to deploy."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from millistep.planning.columns import Column
from millistep.planning.overlays import Overlay


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    model: str
    task: str
    batch_size: int


@dataclass(frozen=True)
class Run:
    """One process that measures one cell."""

    row: Row
    column: Column
    number: int
    position: int
    record: str  # path, relative to the project
    identity: str


def record_path(folder: str, row: Row, column: Column, number: int) -> str:
    """Return the path of a record: ``<folder>/<model>/<task>-b<batch>/<column>/run<k>.json``."""
    return f"{folder}/{row.model}/{row.task}-b{row.batch_size}/{column.name}/run{number}.json"


@dataclass(frozen=True)
class Environment:
    """An environment that the plan needs."""

    name: str
    definition: Path
    sha256: str  # of the definition and the overlays
    interpreter: str | None  # the user's own, instead of the locked one
    overlay: tuple[Overlay, ...]
    folder: str  # the results'

    @property
    def accelerator(self) -> str:
        """The device that its libraries can use: cpu or cuda."""
        return self.definition.parts[-2]

    @property
    def stack(self) -> str:
        """The dated set of library versions that it belongs to."""
        return self.definition.parts[-3]

    @property
    def word(self) -> str:
        """Its name in names of rules."""
        return re.sub(r"\W", "_", f"{self.name}_{self.accelerator}_{self.stack}")

    @property
    def marker(self) -> str:
        """The file that its deployment writes."""
        return f"{self.folder}/environments/{self.stack}/{self.accelerator}/{self.name}.json"

    @property
    def conda(self) -> str | None:
        """The yaml that Snakemake deploys with conda; None if the user gives an interpreter."""
        return None if self.interpreter else str(self.definition.absolute())

    @property
    def options(self) -> str:
        """Options for the command that deploys it, quoted for a shell."""
        own = [f"--interpreter={self.interpreter}"] if self.interpreter else []
        return " ".join(filter(None, [shlex.join(own), self.overlay_options]))

    @property
    def overlay_options(self) -> str:
        """Options that name its overlays, quoted for a shell."""
        return shlex.join(f"--overlay={overlay.source}" for overlay in self.overlay)

    def method(self, use_conda: bool) -> str:
        """Return the method of installation: interpreter, conda or venv."""
        return "interpreter" if self.interpreter else "conda" if use_conda else "venv"
