"""Test of the claim that a faster host language rarely pays."""

from statistics import fmean

from analysis.claims.outcome import Outcome, above, claim_test, untested
from analysis.results.results import Results
from analysis.statistics.intervals import exact_share_interval, mean_interval
from analysis.topics.why.section import TEXTS


@claim_test()
def host_rarely_pays(results: Results, share: float, of_cells: float) -> Outcome:
    """Test that the host keeps the device waiting in few of the cells, and in few more like these.

    Cells of a framework with other settings are not counted: they are much the same cell again. A
    cell counts by the interval of its share over its runs; where that includes the limit, it may
    count or not. How many of the cells count has an exact binomial interval.
    """
    cells = [cell for row in results.rows for cell in row.plain if cell.comparable]
    each = ([run.idle_share for run in cell.ok_runs] for cell in cells)
    found = [known for shares in each if (known := [s for s in shares if s is not None])]
    if not found:
        return untested("No cell was profiled.")
    counts = [above(mean_interval(shares), share) for shares in found]
    sure, possible = counts.count(True), len(counts) - counts.count(False)
    low = exact_share_interval(sure, len(counts)).low
    high = exact_share_interval(possible, len(counts)).high
    means = [fmean(shares) for shares in found]
    evidence = {"cells": len(counts), "sure": sure, "possible": possible, "threshold": share}
    evidence["share_of_cells"] = [low, high]
    reached = sum(mean >= share for mean in means)
    text = TEXTS.say("host", high=reached, highest=max(means), **evidence)
    holds = True if high < of_cells else False if low >= of_cells else None
    return Outcome(holds, text, evidence=evidence)
