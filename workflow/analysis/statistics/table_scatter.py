"""How much runs scatter in a table, column by column: the priors that few runs are weighed with
(`moderation`).

Two kinds of variance are printed, and each has priors of its own: that of the logarithms of a
cell's run means, one of each column, and that of the log ratios of two cells of a row, in which the
drift of the machine cancels, one of each pair of columns. Cells that were not steady give no
variance and get none, nor do those measured on several nodes: what a node is faster or slower is
the same in every row that was measured there, so that the cells of a table say little more about it
than one of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
from analysis.statistics.moderation import Prior, prior_of

TableRow = Mapping[str, Runs]  # by column; cells that were not steady are left out


@dataclass(frozen=True, eq=False)
class TableScatter:
    """The priors of a table. Those of pairs are found when they are asked for, since wide tables
    have more pairs than anybody looks at.
    """

    rows: Sequence[TableRow] = ()
    found: dict[tuple[str, ...], Prior | None] = field(default_factory=dict, repr=False)

    def of_cell(self, column: str, runs: Runs) -> Moderate:
        """How the variance of a cell's run means is moderated."""
        return _moderate(self.prior(column), runs)

    def of_pair(self, column: str, base: str, rounds: Iterable[Hashable]) -> Moderate:
        """How the variance of the log ratios of two cells is moderated that share these rounds."""
        return _moderate(self.prior(*sorted((column, base))), rounds)

    def prior(self, *columns: str) -> Prior | None:
        """Of a column, or of a pair in alphabetical order; None where the table has too few
        rows.
        """
        if columns not in self.found:
            samples = [_sample(*(row[name] for name in columns)) for row in self._with(columns)]
            self.found[columns] = prior_of([sample for sample in samples if sample])
        return self.found[columns]

    def _with(self, columns: tuple[str, ...]) -> list[TableRow]:
        return [row for row in self.rows if all(name in row for name in columns)]


UNKNOWN = TableScatter()


def _sample(runs: Runs, base: Runs | None = None) -> tuple[float, int] | None:
    """A sample variance and its degrees of freedom; None below two rounds."""
    rounds = runs if base is None else shared(runs, base)
    logs = run_logs(runs) if base is None else paired_logs(runs, base)
    if len(logs) < MIN_RUNS or not _on_one_node(rounds):
        return None
    return deviation(logs) ** 2, len(logs) - 1


def _on_one_node(rounds: Iterable[Hashable]) -> bool:
    return len(nodes_of(rounds)) < 2


def _moderate(prior: Prior | None, rounds: Iterable[Hashable]) -> Moderate:
    return prior.moderated if prior and _on_one_node(rounds) else as_measured
