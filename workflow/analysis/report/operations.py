"""The operation that the model of a cell is around, for its details."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from analysis.formats.text import NA, count, ms, seconds
from analysis.report.native_ways import agreement_text, build_text
from analysis.results.cells import Cell
from analysis.statistics.intervals import geometric_mean


def timed_alone(cell: Cell) -> Iterable[tuple[str, str]]:
    """The operation that its model is around, by itself, and what was built for it."""
    found = [record.operation for record in cell.records if record.operation]
    if not found:
        return
    times_ms = [operation.alone_ms for operation in found if operation.alone_ms is not None]
    first = found[0]
    uses = f", {count(first.uses, 'use')} a step" if first.uses else ""
    alone = f"{ms(geometric_mean(times_ms))} ms{uses}" if times_ms else NA
    lines = count(first.lines, "line")
    yield "Its operation alone", f"{first.name}, {first.way}: {alone}, {lines} of code"
    agreement = agreement_text(first.agreement)
    yield "Its results", f"largest difference, of what is allowed: {agreement}"
    if built := [operation.build.seconds for operation in found if operation.build]:
        yield "Built", f"in {seconds(fmean(built))} s by {build_text(first.build)}"
