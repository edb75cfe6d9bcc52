"""The things that a bundle measures, as plain values."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bundle.columns import Column
from contract.ending import MISSING_PACKAGE
from supervise import reading


@dataclass(frozen=True)
class Timed:
    """Anything timed, such as a canary: the identity that defines its numbers, and its column."""

    identity: str
    column: Column


@dataclass(frozen=True)
class File(Timed):
    """A file that is measured once: the record of a run of a cell, or the known steps."""

    path: str

    def is_done(self) -> bool:
        """True if it is there as planned; a failure with its reason counts, too, unless it is that
        a package is missing: the next interpreter that is named may have it.
        """
        found = _content(Path(self.path))
        lacking = str(found.get("reason")).startswith(MISSING_PACKAGE)
        return found.get("identity") == self.identity and not lacking


@dataclass(frozen=True)
class Block:
    """All columns of a row in a round. path: the file with its sessions.

    runs: in measuring order. canaries: by accelerator, in the first environment that is here.
    """

    path: Path
    row: dict[str, Any]  # model, task, batch_size
    scale: str
    round: int
    runs: tuple[File, ...]
    canaries: dict[str, Timed]

    @property
    def name(self) -> str:
        """Its name, such as ``laptop/bert/fit-b8/round1``."""
        return "/".join(self.path.with_suffix("").parts[-4:])

    @property
    def around(self) -> str:
        """The accelerator that its sessions describe: cuda, if any column is measured on it."""
        return "cuda" if "cuda" in self.canaries else "cpu"


@dataclass(frozen=True)
class Settings:
    """Settings that all measurements share. plan: the file for the lines on the terminal."""

    results: Path
    plan: Path
    time_limit_s: float
    memory_gib: str
    folders: tuple[str, ...]
    accelerators: tuple[str, ...]
    device: str | int
    monitor_interpreter: str | None


def identity_of(path: Path) -> str | None:
    """The identity in a file that a program wrote; None if it is missing or broken."""
    return _content(path).get("identity")


def _content(path: Path) -> dict[str, Any]:
    """A file that a program wrote; empty if it is missing or broken."""
    try:
        found = json.loads(reading.read_bytes(path))
    except (OSError, reading.Unreadable, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
