"""Test of the claim that a faster host language rarely pays."""

from analysis.claims.outcome import Outcome, claim_test, untested
from analysis.data import CELL, ROW, Data
from analysis.results.results import Results
from analysis.statistics.intervals import exact_share_interval
from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.section import TEXTS


@claim_test()
def host_rarely_pays(results: Results, share: float, of_cells: float) -> Outcome:
    """Test that the host keeps the device waiting in few of the cells, and in few more like these.

    Cells of a framework with other settings are not counted: they are much the same cell again. A
    cell counts by the interval of its share, over its runs and over where the profiler's time may
    lie; where that includes the limit, it may count or not. How many of the cells count has an
    exact binomial interval, as of so many cases as there are rows: the cells of a row are alike.
    """
    data = Data(results)
    found = ceilings(data).merge(data.cells.loc[data.cells["plain"], CELL], on=CELL)
    if found.empty:
        return untested("No cell was profiled.")
    sure = int((found["ci95_low"] >= share).sum())
    possible = len(found) - int((found["ci95_high"] < share).sum())
    rows = len(found[ROW].drop_duplicates())
    low = exact_share_interval(sure * rows // len(found), rows).low
    high = exact_share_interval(-(-possible * rows // len(found)), rows).high
    evidence = {"cells": len(found), "sure": sure, "possible": possible, "threshold": share}
    evidence["share_of_cells"] = [low, high]
    reached = int((found["share"] >= share).sum())
    text = TEXTS.say("host", high=reached, highest=found["share"].max(), **evidence)
    holds = True if high < of_cells else False if low >= of_cells else None
    return Outcome(holds, text, evidence=evidence)
