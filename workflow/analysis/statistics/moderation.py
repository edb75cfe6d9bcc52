"""Few runs: a sample variance, weighed with what the same column, or pair of columns, scatters by
in the other rows of its table.

Three runs say little about how much runs scatter, so that Student's factor (4.3) decides and not
the machine. How much the runs of one column scatter over the rows is known far better, and differs
from column to column: a compiler that lays out memory anew in every process is not eager code.

So the prior variance of a column, or of a pair, is the median of its sample variances over the rows
(each over the median that a chi-squared variable of its degrees of freedom has), and it is worth
LENT degrees of freedom, a constant. Both are deliberate: empirical Bayes (Smyth 2004; robust,
Phipson et al. 2016) estimates from a table also how alike its cells are, and there a single cell
without any scatter, or with very much, decides the width of all other intervals. A median of rows
and a constant cannot be moved by one cell.

The price of borrowing is paid by the noisiest cells. So a variance is never drawn downwards, and
one above the prior is lent fewer degrees of freedom, the fewer the further it is above.
`benchmarks/verdicts` counts what that costs and gains under many kinds of noise, beside plain
intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

Number = Any  # a number, or an array of them
LENT = 8  # degrees of freedom that a prior is worth: four times those of three runs
MIN_ROWS = 4  # fewer say too little of a column
MIN_OWN = 2  # degrees of freedom of a variance that is moderated, or counts for the prior
FADE = 8  # power by which a prior lends less to a variance above it


@dataclass(frozen=True)
class Prior:
    """What the variances of a column, or of a pair of columns, are like."""

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


def prior_of(samples: Sequence[tuple[float, int]]) -> Prior | None:
    """From sample variances and their degrees of freedom, one of each row; None where they are too
    few, or most are zero.
    """
    found = [(variance, own) for variance, own in samples if own >= MIN_OWN]
    if len(found) < MIN_ROWS:
        return None
    level = median(variance / _median_of_chi_squared(own) for variance, own in found)
    return Prior(level) if level else None


@cache
def _median_of_chi_squared(degrees_of_freedom: int) -> float:
    """Over its degrees of freedom."""
    from scipy.special import chdtri  # here, because importing it takes longer than most commands

    return float(chdtri(degrees_of_freedom, 0.5)) / degrees_of_freedom
