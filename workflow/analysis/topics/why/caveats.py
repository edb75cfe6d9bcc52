"""What steps are spent on: operations that no group has, and time in which nothing computes."""

from collections.abc import Iterator

import pandas as pd

from analysis.caveats.core import Found, labelled, places, rule
from analysis.caveats.thresholds import HOST_OVERHEAD, OTHER_OPERATIONS
from analysis.data import CELL, Data
from analysis.data.operation_groups import Group
from analysis.formats.text import percent
from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.compute import cell_parts


@rule
def host_overhead_high(data: Data) -> Iterator[Found]:
    """Less than half of a step is arithmetic, by the lower end of its interval where it has one."""
    shares = ceilings(data).set_index(CELL)
    least = shares["ci95_low"].fillna(shares["share"])
    yield _found(data, shares["share"][least >= HOST_OVERHEAD], HOST_OVERHEAD)


@rule
def other_operations(data: Data) -> Iterator[Found]:
    """Much of a step is operations whose names no rule knows."""
    parts = cell_parts(data)
    shares = parts[str(Group.OTHER)] / parts["step_ms"]
    yield _found(data, shares[shares > OTHER_OPERATIONS], OTHER_OPERATIONS)


def _found(data: Data, shares: pd.Series, threshold: float) -> Found:
    """The finding on those of these cells from which anything may be concluded."""
    high = {cell: value for cell, value in data.by_cell(shares).items() if cell.comparable}
    where = places(high, lambda cell: percent(high[cell]), high.get)
    return Found(high, {"share": labelled(high), "threshold": threshold}, {"where": where})
