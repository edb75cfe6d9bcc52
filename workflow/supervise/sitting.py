"""The sitting that a job belongs to: jobs of one block that follow each other in one share of one
machine, started by one Snakemake or one bundle. It is what the analysis pairs runs within.

Jobs share no process, so each works out by itself what it is called.
"""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deploy import failures
from supervise import device, whereabouts
from supervise.slots import FOLDER, Slots

SITTING = "MILLISTEP_SITTING"  # drawn at each start; jobs inherit it
SHARE = "MILLISTEP_SHARE"  # slot, number of slots and attempt of a block that holds its share
DIGITS = 12
BEFORE, AFTER = "before", "after"  # its block: when canaries are measured


def begin() -> None:
    """What is started from now on belongs to sittings of its own."""
    os.environ[SITTING] = secrets.token_hex(16)


def share(slot: int, slots: int, attempt: int) -> dict[str, str]:
    """Environment variables for the jobs of a block that holds its share for all of them."""
    return {SHARE: f"{slot} {slots} {attempt}"}


def _held() -> tuple[int, int, int] | None:
    try:
        slot, slots, attempt = map(int, os.environ[SHARE].split())
    except (KeyError, ValueError):
        return None
    return slot, slots, attempt


def attempt_of_block() -> int:
    """2 in a block whose first job was killed."""
    held = _held()
    return held[2] if held else 1


def block_of(identity: dict[str, Any]) -> str:
    """The block that a run belongs to, as files have it: ``laptop/bert/fit-b8/round1``."""
    row = f"{identity['model']}/{identity['task']}-b{identity['batch_size']}"
    return f"{identity['scale']}/{row}/round{identity['run']}"


def folder(results: Path, block: str) -> Path:
    """Of what is known of a block besides its records."""
    return results / "blocks" / block


@dataclass(frozen=True)
class Sitting:
    """As a record has it, but for the neighbours. start: shared by all sittings of one Snakemake,
    or bundle, whatever Snakemakes it starts for blocks.
    """

    id: str
    node: str
    device: str | None
    slot: int
    slots: int
    attempt: int
    start: str

    def facts(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Seat:
    """A sitting while one of its jobs runs. most: of the other shares that were taken at once."""

    sitting: Sitting
    most: list[int]

    def session(self) -> dict[str, Any]:
        """What a record says of it, asked at the end of its run."""
        return {**self.sitting.facts(), "neighbours": self.most[0]}


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:DIGITS]


@contextlib.contextmanager
def taken(
    results: Path, block: str, accelerator: str, asked_device: str | int, attempt: int
) -> Iterator[Seat]:
    """The seat of one job, whose share of the machine nobody else has meanwhile.

    accelerator: cuda where any column of the block is measured on a GPU. attempt: of the job
    itself. Raises :class:`supervise.device.NoSuchDevice`.
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
            _digest(os.environ.get(failures.START, drawn)),
        )
        yield Seat(sitting, stack.enter_context(slots.watched(slot)))
