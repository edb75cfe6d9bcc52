"""What a plan is made of: rows of the table, runs of a cell, environments to deploy."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from planning.columns import Column
from planning.overlays import Overlay


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
    """``<folder>/<model>/<task>-b<batch>/<column>/run<k>.json``."""
    return f"{folder}/{row.model}/{row.task}-b{row.batch_size}/{column.name}/run{number}.json"


@dataclass(frozen=True)
class Environment:
    """An environment that the plan needs deployed."""

    name: str
    definition: Path
    sha256: str  # of the definition and of what is put over it
    interpreter: str | None  # the user's own, instead of the locked one
    overlay: tuple[Overlay, ...]
    folder: str  # of the results

    @property
    def accelerator(self) -> str:
        """What it computes on: cpu or cuda."""
        return self.definition.parts[-2]

    @property
    def stack(self) -> str:
        """The dated set of library versions that it is of."""
        return self.definition.parts[-3]

    @property
    def word(self) -> str:
        """For names of rules."""
        return re.sub(r"\W", "_", f"{self.name}_{self.accelerator}_{self.stack}")

    @property
    def marker(self) -> str:
        """What its deployment writes."""
        return f"{self.folder}/environments/{self.stack}/{self.accelerator}/{self.name}.json"

    @property
    def conda(self) -> str | None:
        """What Snakemake deploys with conda; nothing where an interpreter is given."""
        return None if self.interpreter else str(self.definition.absolute())

    @property
    def options(self) -> str:
        """For the command that deploys it."""
        own = [f"--interpreter={self.interpreter}"] if self.interpreter else []
        return " ".join(filter(None, [shlex.join(own), self.overlay_options]))

    @property
    def overlay_options(self) -> str:
        """The same for what is put over it alone."""
        return shlex.join(f"--overlay={overlay.source}" for overlay in self.overlay)

    def method(self, use_conda: bool) -> str:
        """How it is deployed."""
        return "interpreter" if self.interpreter else "conda" if use_conda else "venv"
