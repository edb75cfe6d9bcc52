"""What a plan is made of: rows of the table, runs of a cell, environments to deploy."""

import shlex
from dataclasses import dataclass
from pathlib import Path


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
    framework: str
    number: int
    position: int
    record: str  # path, relative to the project
    identity: str


def record_path(folder: str, row: Row, framework: str, number: int) -> str:
    """``<folder>/<model>/<task>-b<batch>/<framework>/run<k>.json``."""
    return f"{folder}/{row.model}/{row.task}-b{row.batch_size}/{framework}/run{number}.json"


@dataclass(frozen=True)
class Environment:
    """An environment that the plan needs deployed."""

    name: str
    definition: Path
    definition_sha256: str
    interpreter: str | None  # the user's own, instead of the locked one

    @property
    def rule(self) -> str:
        """Name of the rule that deploys it."""
        return f"environment_{self.name.replace('-', '_')}"

    @property
    def marker(self) -> str:
        """What its deployment writes."""
        return f"results/environments/{self.definition.parent.name}/{self.name}.json"

    @property
    def conda(self) -> str | None:
        """What Snakemake deploys with conda; nothing where an interpreter is given."""
        return None if self.interpreter else str(self.definition.absolute())

    @property
    def interpreter_option(self) -> str:
        """For the command that deploys it."""
        return f"--interpreter {shlex.quote(self.interpreter)}" if self.interpreter else ""

    def method(self, use_conda: bool) -> str:
        """How it is deployed."""
        return "interpreter" if self.interpreter else "conda" if use_conda else "venv"
