"""Few runs: a variance, weighed with what the same column, or pair of columns, scatters by in the
other rows of its table.

Three runs say little about how much runs scatter, so that Student's factor (4.3) decides and not
the machine. How much the runs of one column scatter over the rows is known far better, and differs
from column to column: a compiler that lays out memory anew in every process is not eager code. Two
kinds of variance are printed, and each has priors of its own: that of the logarithms of a cell's
run means, and that of the log ratios of two cells of a row, in which the drift of the machine
cancels.

The prior variance of a column, or of a pair, is the median of its sample variances over the rows
(each over the median that a chi-squared variable of its degrees of freedom has), and it is worth
LENT degrees of freedom, a constant. Both are deliberate: empirical Bayes (Smyth 2004; robust,
Phipson et al. 2016) estimates from a table also how alike its cells are, and there a single cell
without any scatter, or with very much, decides the width of all other intervals. A median of rows
and a constant cannot be moved by one cell.

The price of borrowing is paid by the noisiest cells. So a variance is never drawn downwards, and
one above the prior is lent fewer degrees of freedom, the fewer the further it is above. Its
interval may still be half as wide as by its own runs: of three runs that truly scatter 1.5 to 3
times as much as the prior, 95 % intervals cover in 92 to 94 %, of such as scatter as much in 97 %.
`benchmarks/verdicts` counts what that costs and gains under many kinds of noise, beside plain
intervals.

Cells that were not steady give no variance and get none, nor do those measured on several nodes:
what a node is faster or slower is the same in every row that was measured there, so that the cells
of a table say little more about it than one of them.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from statistics import median
from typing import Any

from analysis.statistics.intervals import (
    MIN_RUNS,
    Moderate,
    Runs,
    as_measured,
    deviation,
    log_ratios,
    nodes_of,
    paired_logs,
    run_logs,
    shared,
)
from analysis.statistics.starts import consensus

TableRow = Mapping[str, Runs]  # by column; cells that were not steady are left out
Number = Any  # a number, or an array of them
LENT = 8  # degrees of freedom that a prior is worth: four times those of three runs
MIN_ROWS = 4  # fewer say too little of a column
MIN_OWN = 2  # degrees of freedom of a variance that is moderated, or counts for the prior
FADE = 8  # power by which a prior lends less to a variance above it


@dataclass(frozen=True)
class Prior:
    """A prior for the variances of a column, or of a pair of columns."""

    variance: float

    def moderated(self, variance: Number, degrees_of_freedom: int) -> tuple[Number, Number]:
        """The variance to be used instead of a sample's, and its degrees of freedom; of one sample,
        or of an array of them.
        """
        own = degrees_of_freedom
        if own < MIN_OWN:
            return variance, own
        above = variance > self.variance
        larger = variance * above + self.variance * (1 - above)
        drawn = (own * variance + LENT * self.variance) / (own + LENT)
        used = variance * above + drawn * (1 - above)
        return used, own + LENT * (self.variance / larger) ** FADE


def prior_of(samples: Iterable[tuple[float, int]]) -> Prior | None:
    """A prior from sample variances and their degrees of freedom, one of each row; None where they
    are too few, or most are zero.
    """
    found = [(variance, own) for variance, own in samples if own >= MIN_OWN]
    if len(found) < MIN_ROWS:
        return None
    level = median(variance / _median_of_chi_squared(own) for variance, own in found)
    return Prior(level) if level else None


@cache
def _median_of_chi_squared(degrees_of_freedom: int) -> float:
    """The median of a chi-squared variable over its degrees of freedom."""
    from scipy.special import chdtri  # here, because importing it takes longer than most commands

    return float(chdtri(degrees_of_freedom, 0.5)) / degrees_of_freedom


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
        """The prior of a column, or of a pair in alphabetical order; None where the table has too
        few rows.
        """
        if columns not in self.found:
            rows = [row for row in self.rows if row.keys() >= {*columns}]
            cells = [[row[name] for name in columns] for row in rows]
            logs = [found for runs in cells if (found := self._logs(*runs))]
            self.found[columns] = prior_of((deviation(each) ** 2, len(each) - 1) for each in logs)
        return self.found[columns]

    @cached_property
    def correlation(self) -> float:
        """The correlation of the log ratios of one start, for all pairs of the table."""
        return consensus(map(_ratios, self.rows))

    def _logs(self, runs: Runs, base: Runs | None = None) -> list[float]:
        """The logarithms of a cell, or of a pair, whose variance is taken; empty where there are
        fewer than two, or they lie on several nodes.
        """
        rounds = runs if base is None else shared(runs, base)
        if len(rounds) < MIN_RUNS or not _on_one_node(rounds):
            return []
        return run_logs(runs) if base is None else paired_logs(runs, base, self.correlation)


UNKNOWN = TableScatter()


def _ratios(row: TableRow) -> Iterator[Mapping[Hashable, float]]:
    """Log ratios of every pair of a row by sitting, where they are of several starts, on one
    node.
    """
    places = {place for runs in row.values() for place in runs}
    if len({getattr(place, "start", "") for place in places}) < 2:
        return
    for runs, base in combinations(row.values(), 2):
        if _on_one_node(shared(runs, base)):
            yield log_ratios(runs, base)


def _on_one_node(rounds: Iterable[Hashable]) -> bool:
    return len(nodes_of(rounds)) < 2


def _moderate(prior: Prior | None, rounds: Iterable[Hashable]) -> Moderate:
    return prior.moderated if prior and _on_one_node(rounds) else as_measured
