"""What steps are spent on: operations that no group has."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, comparable, label, places, rule
from analysis.caveats.thresholds import OTHER_OPERATIONS
from analysis.comparisons.operation_groups import Group
from analysis.comparisons.why import mean_parts
from analysis.formats.text import percent
from analysis.results.results import Results


@rule(
    "Operations that no group has",
    "Why a column is slower is told in part where these are involved.",
    Changes.ELSEWHERE,
    "The names are in the appendix; rules for them go to operation_groups.yaml.",
)
def other_operations(results: Results) -> Iterator[Caveat]:
    """Much of a step is operations whose names no rule knows."""
    parts = {cell: found for cell in comparable(results.rows) if (found := mean_parts(cell))}
    shares = {cell: found.ms(Group.OTHER) / found.step_ms for cell, found in parts.items()}
    high = {cell: share for cell, share in shares.items() if share > OTHER_OPERATIONS}
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
