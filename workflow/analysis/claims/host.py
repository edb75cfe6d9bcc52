"""Test of the claim that a faster host language rarely pays."""

from __future__ import annotations

from statistics import fmean

from analysis.claims.outcome import Outcome, above
from analysis.formats.text import count, percent
from analysis.results.cells import Cell, Results
from analysis.statistics.intervals import MIN_RUNS, exact_share_interval, mean_interval

# Profiles of two runs of a cell differed by a factor of up to 2.1 (16 cells at laptop).
PROFILE_FACTOR = 2.5


def host_rarely_pays(results: Results, share: float, of_cells: float) -> Outcome:
    """The host keeps the device waiting in few of the cells, and in few more like these.

    Cells of a framework with other settings are not counted: they are much the same cell again. One
    run of a cell is profiled, which places its share within a factor; where that factor spans the
    limit, the cell may count or not. How many of the cells count has an exact binomial interval.
    """
    found = [shares for row in results.rows for cell in row.plain if (shares := _shares(cell))]
    if not found:
        return Outcome(None, "No cell was profiled.", tested=False)
    counts = [_at_least(shares, share) for shares in found]
    sure, possible = counts.count(True), len(counts) - counts.count(False)
    low = exact_share_interval(sure, len(counts)).low
    high = exact_share_interval(possible, len(counts)).high
    means = [fmean(shares) for shares in found]
    text = (
        f"By the means, in {sum(mean >= share for mean in means)} of "
        f"{count(len(means), 'profiled cell')} no operation computes during at least "
        f"{percent(share)} of a step; by how well a profile places a share, in {sure} to "
        f"{possible}, which is {percent(low)} to {percent(high)} of such cells. The highest share "
        f"is {percent(max(means))}."
    )
    evidence = {"cells": len(counts), "sure": sure, "possible": possible, "threshold": share}
    holds = True if high < of_cells else False if low >= of_cells else None
    return Outcome(holds, text, evidence={**evidence, "share_of_cells": [low, high]})


def _at_least(shares: list[float], limit: float) -> bool | None:
    """Whether the share of a cell is; None where its profiles do not tell."""
    if len(shares) >= MIN_RUNS:
        return above(mean_interval(shares), limit)
    if limit / PROFILE_FACTOR <= shares[0] < limit * PROFILE_FACTOR:
        return None
    return shares[0] >= limit


def _shares(cell: Cell) -> list[float]:
    """Of each profiled run."""
    return [record.host_overhead.share for record in cell.records if record.host_overhead]
