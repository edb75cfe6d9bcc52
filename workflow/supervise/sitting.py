"""The sitting of a job: jobs of one block that follow each other in one slot of one machine,
started by one Snakemake or one bundle. Records call it a session; the analysis pairs runs in it.

Jobs share no process, so each computes its sitting's id by itself.
"""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from supervise import device, whereabouts
from supervise.slots import FOLDER, Slots

SITTING = "MILLISTEP_SITTING"  # drawn at random at each start; jobs inherit it
SHARE = "MILLISTEP_SHARE"  # slot, number of slots and attempt of a block that holds its slot
DIGITS = 12
BEFORE, AFTER = "before", "after"  # when canaries are measured: before or after their block


def begin() -> None:
    """Give all that is started from now on sittings of its own."""
    os.environ[SITTING] = secrets.token_hex(16)


def share(slot: int, slots: int, attempt: int) -> dict[str, str]:
    """Environment variables for the jobs of a block that holds its slot for all of them."""
    return {SHARE: f"{slot} {slots} {attempt}"}


def _held() -> tuple[int, int, int] | None:
    try:
        slot, slots, attempt = map(int, os.environ[SHARE].split())
    except (KeyError, ValueError):
        return None
    return slot, slots, attempt


def attempt_of_block() -> int:
    """The attempt of the block's own job: 2 if its first job was killed, else 1."""
    held = _held()
    return held[2] if held else 1


def block_of(identity: dict[str, Any]) -> str:
    """The name of the block that a run belongs to: ``laptop/bert/fit-b8/round1``."""
    row = f"{identity['model']}/{identity['task']}-b{identity['batch_size']}"
    return f"{identity['scale']}/{row}/round{identity['run']}"


def folder(results: Path, block: str) -> Path:
    """The folder for a block's files other than its records."""
    return results / "blocks" / block


@dataclass(frozen=True)
class Sitting:
    """A sitting as a record has it, without the neighbours. start: the same for all sittings of one
    Snakemake or bundle, also those of the Snakemakes that it starts for blocks.
    """

    id: str
    node: str
    device: str | None
    slot: int
    slots: int
    attempt: int
    start: str


@dataclass(frozen=True)
class Seat:
    """A sitting while one of its jobs runs. most: the most other slots that were busy at once."""

    sitting: Sitting
    most: list[int]

    def session(self) -> dict[str, Any]:
        """The record's ``session``, to be asked for at the end of its run."""
        return {**asdict(self.sitting), "neighbours": self.most[0]}


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:DIGITS]


@contextlib.contextmanager
def taken(
    results: Path, block: str, accelerator: str, asked_device: str | int, attempt: int
) -> Iterator[Seat]:
    """Take the seat of one job: nobody else has its slot of the machine meanwhile.

    accelerator: cuda if any column of the block is measured on a GPU. attempt: the job's own.
    Raises :class:`supervise.device.NoSuchDevice`.
    """
    node, held = whereabouts.node(results), _held()
    gpu = device.chosen(asked_device) if accelerator == "cuda" else None
    with contextlib.ExitStack() as stack:
        if held is None:
            slots = Slots(results / FOLDER, node, 1)
            slot, attempt_of = stack.enter_context(slots.taken()), 1
        else:
            slot, count, attempt_of = held
            slots = Slots(results / FOLDER, node, count)
        drawn = os.environ.setdefault(SITTING, secrets.token_hex(16))
        name = f"{drawn} {block} {node} {slot} {attempt_of}"
        sitting = Sitting(
            _digest(name),
            node,
            whereabouts.device(results, gpu.uuid if gpu else None),
            slot,
            slots.count,
            max(attempt, attempt_of),
            _digest(drawn),
        )
        yield Seat(sitting, stack.enter_context(slots.watched(slot)))
