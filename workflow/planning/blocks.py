"""Blocks: all columns of a row in one round. A block is one job, on one machine."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from planning.cells import Environment, Row, Run
from supervise import planned


@dataclass(frozen=True)
class Block:
    """One of a plan. path: of the file that says how it was measured; runs: in their order."""

    row: Row
    number: int  # of the round
    path: str
    runs: tuple[Run, ...]  # with those under a second name

    @property
    def done(self) -> str:
        """What says that all of it is there."""
        return self.path.removesuffix(".json") + ".done"

    @cached_property
    def identity(self) -> str:
        """What defines its records, in whichever order they are measured."""
        text = "\n".join(sorted(run.identity for run in self.runs))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def accelerators(self) -> list[str]:
        """What its columns are measured on: cuda first."""
        found = {run.column.accelerator for run in self.runs}
        return [kind for kind in ("cuda", "cpu") if kind in found]


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


def asked(plan, block: Block, use_conda: bool, log: Path) -> planned.Block:
    """A block for what measures it. log: of its canaries."""

    def where(environment: Environment) -> planned.Environment:
        return planned.Environment(
            marker=environment.marker,
            deployment=environment.method(use_conda),
            definition=environment.definition.as_posix(),
            overlay=tuple(overlay.source for overlay in environment.overlay),
        )

    return planned.Block(
        path=Path(block.path),
        log=log,
        row=row(block),
        scale=plan.scale,
        round=block.number,
        runs=tuple(
            planned.Run(run.identity, where(plan.environment_of(run.column)), run.record)
            for run in block.runs
        ),
        canaries={
            kind: tuple(
                planned.Timed(canary.identity, where(plan.environment_of(canary.column)))
                for canary in plan.controls.canaries[kind]
            )
            for kind in block.accelerators
        },
    )


def row(block: Block) -> dict:
    """As files have it."""
    of = block.row
    return {"model": of.model, "task": of.task, "batch_size": of.batch_size}
