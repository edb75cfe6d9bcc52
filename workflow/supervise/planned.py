"""What a block is asked to hold, as plain values: from Snakemake's plan, or from a bundle's."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Environment:
    """Where something is measured. marker: of its deployment; overlay: what is put over it."""

    marker: str
    deployment: str  # venv, conda, interpreter
    definition: str
    overlay: tuple[str, ...] = ()


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
        """Whether its record is there as planned; what could not be deployed may be another day."""
        try:
            found = json.loads(Path(self.record).read_text())
            undeployed = "not_deployed" in (found.get("not_tried") or {})
            return not undeployed and found["identity"] == self.identity
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False


@dataclass(frozen=True)
class Block:
    """All columns of a row in a round. path: of its file, in which its sessions are.

    log: what the canaries print. runs: in their order. canaries: by accelerator, the first that
    can be deployed is measured.
    """

    path: Path
    log: Path
    row: dict[str, Any]  # model, task, batch_size
    scale: str
    round: int
    runs: tuple[Run, ...]
    canaries: dict[str, tuple[Timed, ...]]


@dataclass(frozen=True)
class Settings:
    """What all blocks of a plan share.

    results: folder of all. plan: its file, for the lines on the terminal. accelerators: of the
    whole plan. divide: whether the processors and GPUs are ours to share out among the slots, or
    somebody has done it. kills: after how many starts that were killed a run is called killed;
    None: only a second attempt calls it so. deadline: on the monotonic clock. lines: folder for
    what is said where several blocks share a terminal, see :mod:`supervise.running`.
    """

    results: Path
    plan: Path
    time_limit_s: float
    memory_gib: str
    folders: tuple[str, ...]
    accelerators: tuple[str, ...]
    device: str | int
    monitor_interpreter: str | None
    slots: int = 1
    divide: bool = True
    kills: int | None = None
    deadline: float | None = None
    lines: Path | None = None
