"""Blocks: all columns of one row in one round, measured one after the other on one machine."""

from __future__ import annotations

import random
from dataclasses import dataclass

from planning.cells import Row, Run
from supervise.sitting import AFTER, BEFORE


@dataclass(frozen=True)
class Block:
    """One block. path: the file that tells how it was measured; runs: in measuring order."""

    row: Row
    number: int  # the round's
    path: str
    runs: tuple[Run, ...]  # including those of the cell that the self-test measures twice

    @property
    def done(self) -> str:
        """Path of the marker written when the block is complete, if a block is one job."""
        return self.path.removesuffix(".json") + ".done"

    @property
    def accelerators(self) -> list[str]:
        """The accelerators that its columns are measured on, cuda first."""
        found = {run.column.accelerator for run in self.runs}
        return [kind for kind in ("cuda", "cpu") if kind in found]

    @property
    def around(self) -> str:
        """The accelerator that its sessions describe: cuda, if any column is measured on it."""
        return self.accelerators[0]

    def canaries(self, when: str) -> list[str]:
        """Files of the canaries before or after the block, one for each accelerator."""
        folder = self.path.removesuffix(".json")
        return [f"{folder}/{when}-{accelerator}.json" for accelerator in self.accelerators]

    @property
    def files(self) -> list[str]:
        """The files that the block's jobs write, in the order of the jobs."""
        records = [run.record for run in self.runs]
        return [*self.canaries(BEFORE), *records, *self.canaries(AFTER)]


def blocks(plan) -> list[Block]:
    """The blocks of a plan, in the order in which they are measured.

    The self-test measures one cell under two names; both are neighbours, in an order drawn from the
    seed, so that a drift falls on both alike.
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
