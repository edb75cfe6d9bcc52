"""Blocks: all columns of one row in one round, measured one after the other on one machine."""

from __future__ import annotations

import random
from dataclasses import dataclass

from planning.cells import Row, Run
from supervise.sitting import AFTER, BEFORE


@dataclass(frozen=True)
class Block:
    """One of a plan. path: of the file that says how it was measured; runs: in their order."""

    row: Row
    number: int  # of the round
    path: str
    runs: tuple[Run, ...]  # with those under a second name

    @property
    def done(self) -> str:
        """What says that all of it is there, where a block is one job."""
        return self.path.removesuffix(".json") + ".done"

    @property
    def accelerators(self) -> list[str]:
        """What its columns are measured on: cuda first."""
        found = {run.column.accelerator for run in self.runs}
        return [kind for kind in ("cuda", "cpu") if kind in found]

    @property
    def around(self) -> str:
        """What its sessions are described with: a GPU, if any column is measured on one."""
        return self.accelerators[0]

    def canaries(self, when: str) -> list[str]:
        """Files of those before or after it."""
        folder = self.path.removesuffix(".json")
        return [f"{folder}/{when}-{accelerator}.json" for accelerator in self.accelerators]

    @property
    def files(self) -> list[str]:
        """What its jobs write, in their order."""
        records = [run.record for run in self.runs]
        return [*self.canaries(BEFORE), *records, *self.canaries(AFTER)]


def blocks(plan) -> list[Block]:
    """In the order in which they are measured.

    The second name of a cell goes next to the first, before or after it as the seed has it, so
    that a drift falls on both alike.
    """
    again = {run.position: run for run in plan.controls.again}
    coin = random.Random(f"{plan.config['seed']} same cell")
    found: dict[tuple[Row, int], list[Run]] = {}
    for run in plan.runs:
        names = [run, again[run.position]] if run.position in again else [run]
        coin.shuffle(names)
        found.setdefault((run.row, run.number), []).extend(names)
    folder = f"{plan.results}/blocks/{plan.scale}"
    return [
        Block(
            row,
            number,
            f"{folder}/{row.model}/{row.task}-b{row.batch_size}/round{number}.json",
            tuple(runs),
        )
        for (row, number), runs in found.items()
    ]


def row(block: Block) -> dict:
    """As files have it."""
    of = block.row
    return {"model": of.model, "task": of.task, "batch_size": of.batch_size}
