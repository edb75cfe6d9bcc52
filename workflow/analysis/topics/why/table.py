"""why.csv and ceilings.csv."""

import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.topics.why import ceilings as limits
from analysis.topics.why.differences import LAUNCHED, SPLIT, TIMES, differences


def why(data: Data) -> pd.DataFrame:
    """A line per column and part: the whole step, the time in which nothing computes, and each
    group of operations.

    Means over the rounds that have profiles of both, the differences with the lowest and the
    highest of them.
    """
    head = [*ROW, "fastest", "column", "standing", "part", *TIMES]
    ends = ["difference_ms", "lowest_ms", "highest_ms"]
    return differences(data)[[*head, *ends, *SPLIT, *LAUNCHED, "rounds"]]


def ceilings(data: Data) -> pd.DataFrame:
    """A line per profiled cell that may be compared. `share` is an estimate of that of a step in
    which nothing computes, with a 95 % interval over runs that includes where the profiler's own
    time may lie; a ceiling is 1 / (1 - share), inf where nothing computes at all. The slowdown is
    a step under the profiler over one beside it without.
    """
    share = ["runs", "share", "ci95_low", "ci95_high"]
    gain = ["ceiling", "ceiling_low", "ceiling_high"]
    slowdown = ["profiler_slowdown", "slowdown_low", "slowdown_high"]
    return limits.ceilings(data)[[*CELL, *share, *gain, *slowdown]]
