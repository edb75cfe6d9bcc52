"""What a bundle is asked to measure, as plain values."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supervise import reading


@dataclass(frozen=True)
class Environment:
    """Where something is measured. marker: says what is in it."""

    marker: str
    definition: str


@dataclass(frozen=True)
class Timed:
    """A canary, or what one is: all that defines its numbers, and where it is measured."""

    identity: str
    environment: Environment


@dataclass(frozen=True)
class Run(Timed):
    """A run of a cell. record: path."""

    record: str

    def is_done(self) -> bool:
        """Whether its record is there as planned."""
        return identity_of(Path(self.record)) == self.identity


@dataclass(frozen=True)
class KnownSteps(Timed):
    """The part of the self-test that is measured by itself."""

    path: str

    def is_done(self) -> bool:
        """Whether it is there as planned; a failure with its reason is as good as a number."""
        return identity_of(Path(self.path)) == self.identity


@dataclass(frozen=True)
class Block:
    """All columns of a row in a round. path: of its file, in which its sessions are.

    runs: in their order. canaries: by accelerator, in the first environment that is here.
    """

    path: Path
    row: dict[str, Any]  # model, task, batch_size
    scale: str
    round: int
    runs: tuple[Run, ...]
    canaries: dict[str, Timed]

    @property
    def name(self) -> str:
        """``laptop/bert/fit-b8/round1``."""
        return "/".join(self.path.with_suffix("").parts[-4:])

    @property
    def around(self) -> str:
        """What its sessions are described with: a GPU, if any column is measured on one."""
        return "cuda" if "cuda" in self.canaries else "cpu"


@dataclass(frozen=True)
class Settings:
    """What all of it shares. plan: its file, for the lines on the terminal."""

    results: Path
    plan: Path
    time_limit_s: float
    memory_gib: str
    folders: tuple[str, ...]
    accelerators: tuple[str, ...]
    device: str | int
    monitor_interpreter: str | None


def identity_of(path: Path) -> str | None:
    """Of a file that a program wrote, None for one that is not there or is broken."""
    try:
        found: str = json.loads(reading.read_bytes(path))["identity"]
        return found
    except (OSError, reading.Unreadable, ValueError, KeyError, TypeError, RecursionError):
        return None
