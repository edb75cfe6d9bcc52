"""What steps are spent on: operations that no group has, and time in which nothing computes."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.caveats.causes import OVERHEAD
from analysis.caveats.core import Caveat, Changes, Severity, frame_rule, label, places
from analysis.caveats.thresholds import HOST_OVERHEAD, OTHER_OPERATIONS
from analysis.data import CELL, Data
from analysis.data.operation_groups import Group
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.compute import cell_parts


@frame_rule(
    "Half of a step computes nothing",
    "What lies between operations decides these times more than arithmetic does.",
    Changes.ELSEWHERE,
    "Measure a compiled column, or a larger batch size.",
    OVERHEAD,
)
def host_overhead_high(data: Data) -> Iterator[Caveat]:
    """Less than half of a step is arithmetic, by the lower end of its interval where it has one."""
    shares = ceilings(data).set_index(CELL)
    least = shares["ci95_low"].fillna(shares["share"])
    high = _of_cells(data, shares["share"][least >= HOST_OVERHEAD])
    if high:
        where = places(high, lambda cell: percent(high[cell]), high.get)
        sentence = (
            f"No operation computes during at least {percent(HOST_OVERHEAD)} of a step ({where}): "
            "these times are of what lies between operations (Python, dispatch, waiting) more than "
            "of arithmetic."
        )
        evidence = {
            "share": {label(cell): share for cell, share in high.items()},
            "threshold": HOST_OVERHEAD,
        }
        yield Caveat("host_overhead_high", Severity.WARNING, tuple(high), evidence, sentence)


@frame_rule(
    "Operations that no group has",
    "Why a column is slower is told in part where these are involved.",
    Changes.ELSEWHERE,
    "The names are in the appendix; rules for them go to operation_groups.yaml.",
)
def other_operations(data: Data) -> Iterator[Caveat]:
    """Much of a step is operations whose names no rule knows."""
    parts = cell_parts(data)
    shares = parts[str(Group.OTHER)] / parts["step_ms"]
    high = _of_cells(data, shares[shares > OTHER_OPERATIONS])
    if high:
        where = places(high, lambda cell: percent(high[cell]), high.get)
        sentence = (
            f"More than {percent(OTHER_OPERATIONS)} of a step is operations that are in no group "
            f"({where}): what a difference between these and other columns is made of is told in "
            "part."
        )
        evidence = {
            "share": {label(cell): share for cell, share in high.items()},
            "threshold": OTHER_OPERATIONS,
        }
        yield Caveat("other_operations", Severity.NOTE, tuple(high), evidence, sentence)


def _of_cells(data: Data, found: pd.Series) -> dict[Cell, float]:
    """Values by their cells, of those from which anything may be concluded."""
    values = {data.cell_of[key]: value for key, value in found.to_dict().items()}
    return {cell: value for cell, value in values.items() if cell.comparable}
