"""How much runs scatter in a table: the priors that few runs are weighed with (`moderation`).

Two kinds of variance are printed, and each has a prior of its own: that of the logarithms of a
cell's run means, and that of the log ratios of two cells of a row, paired by round, in which the
drift of the machine cancels. Cells that were not steady give no variance and get none, nor do
those measured on several nodes: what a node is faster or slower is the same in every row that was
measured there, so that the cells of a table say little more about it than one of them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from analysis.statistics.intervals import (
    MIN_RUNS,
    Moderate,
    Runs,
    as_measured,
    deviation,
    nodes_of,
    paired_logs,
    run_logs,
    shared,
)
from analysis.statistics.moderation import Prior, Sample, fit_prior


@dataclass(frozen=True)
class Scattered:
    """Steady runs of a cell, and the variance of the logarithms of the blocks within a run (mean
    over the runs; None where no run has two blocks).
    """

    runs: Runs
    block_variance: float | None


TableRow = Mapping[str, Scattered]  # by column; cells that were not steady are left out


@dataclass(frozen=True)
class TableScatter:
    """The priors of a table; None where it has too few cells for one."""

    cells: Prior | None = None
    pairs: Prior | None = None

    def of_cell(self, cell: Scattered) -> Moderate:
        """How the variance of a cell's run means is moderated."""
        return _moderate(self.cells, _covariate(cell)) if _on_one_node(cell.runs) else as_measured

    def of_pair(self, cell: Scattered, base: Scattered) -> Moderate:
        """How the variance of the log ratios of two cells is moderated."""
        if not _on_one_node(shared(cell.runs, base.runs)):
            return as_measured
        return _moderate(self.pairs, _covariate(cell, base))


UNKNOWN = TableScatter()


def table_scatter(rows: Iterable[TableRow]) -> TableScatter:
    """From the steady cells of every row.

    All pairs of a row enter the prior of the pairs, but no more degrees of freedom than those of
    each cell against one.
    """
    table = list(rows)
    cells = [sample for row in table for cell in row.values() if (sample := _of_cell(cell))]
    pairs = [
        sample
        for row in table
        for pair in combinations(row.values(), 2)
        if (sample := _of_pair(*pair))
    ]
    against_one = [freedom for row in table for freedom in _against_one(row)]
    return TableScatter(
        fit_prior(cells, [sample.degrees_of_freedom for sample in cells]),
        fit_prior(pairs, against_one),
    )


def _of_cell(cell: Scattered) -> Sample | None:
    return _sample(cell.runs, run_logs(cell.runs), _covariate(cell))


def _of_pair(cell: Scattered, base: Scattered) -> Sample | None:
    rounds = shared(cell.runs, base.runs)
    return _sample(rounds, paired_logs(cell.runs, base.runs), _covariate(cell, base))


def _sample(
    rounds: Iterable[Hashable], logs: Sequence[float], covariate: float | None
) -> Sample | None:
    if len(logs) < MIN_RUNS or not _on_one_node(rounds):
        return None
    return Sample(deviation(logs) ** 2, len(logs) - 1, covariate)


def _against_one(row: TableRow) -> list[int]:
    """Degrees of freedom of the cells of a row, each against the one with the most runs."""
    cells = sorted(row.values(), key=lambda cell: len(cell.runs))
    rounds = [shared(cell.runs, cells[-1].runs) for cell in cells[:-1]]
    return [len(found) - 1 for found in rounds if _on_one_node(found)]


def _on_one_node(rounds: Iterable[Hashable]) -> bool:
    return len(nodes_of(rounds)) < 2


def _covariate(*cells: Scattered) -> float | None:
    """Logarithm of the summed variances within the runs; None where one is unknown or zero."""
    variances = [cell.block_variance for cell in cells]
    return math.log(sum(variances)) if all(variances) else None


def _moderate(prior: Prior | None, covariate: float | None) -> Moderate:
    if prior is None or (prior.slope and covariate is None):
        return as_measured
    return lambda variance, freedom: prior.moderated(Sample(variance, freedom, covariate))
