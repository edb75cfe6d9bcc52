"""Groups: all runs of one workload in one round, which one machine times in turns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from millistep.planning.cells import Row, Run


@dataclass(frozen=True)
class Group:
    """The runs of a workload in a round, in the random order of their turns."""

    row: Row
    number: int  # of the round
    runs: tuple[Run, ...]  # including the second run of the cell that the self-test measures twice
    folder: str  # results/reference/<scale>

    @property
    def name(self) -> str:
        """The words of its paths: ``bert/fit-b8/round1``."""
        return f"{self.row.model}/{self.row.task}-b{self.row.batch_size}/round{self.number}"

    @property
    def done(self) -> str:
        """The file that its job on a cluster writes at the end."""
        return f"{self.folder}/{self.name}.done"

    @cached_property
    def references(self) -> dict[str, str]:
        """Files of the reference workload by accelerator, cuda first."""
        used = {run.column.accelerator for run in self.runs}
        kinds = [kind for kind in ("cuda", "cpu") if kind in used]
        return {kind: f"{self.folder}/{self.name}-{kind}.json" for kind in kinds}

    @property
    def files(self) -> list[str]:
        """The files of its jobs, in the order of the jobs."""
        return [*self.references.values(), *(run.record for run in self.runs)]


def groups(runs: Sequence[Run], again: Sequence[Run], folder: str, seed: int) -> list[Group]:
    """Return the groups in measuring order.

    again: second runs of the cell that the self-test measures twice. Both runs of a pair are
    neighbors, in an order that is generated from the seed.
    """
    second = {run.position: run for run in again}
    coin = random.Random(f"{seed} same cell")
    found: dict[tuple[Row, int], list[Run]] = {}
    for run in runs:
        names = [run, second[run.position]] if run.position in second else [run]
        coin.shuffle(names)
        found.setdefault((run.row, run.number), []).extend(names)
    return [Group(row, number, tuple(of), folder) for (row, number), of in found.items()]
