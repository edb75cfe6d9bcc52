"""What a step of a cell is spent on, for its details."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from analysis.comparisons.operation_groups import group_of
from analysis.comparisons.profiler_cost import profiler_cost
from analysis.comparisons.why import mean_operations
from analysis.formats.text import NA, count, ms, percent, seconds
from analysis.report.native_ways import agreement_text, build_text
from analysis.report.why import cost_text
from analysis.results.cells import Cell
from analysis.statistics.intervals import geometric_mean
from analysis.writing.grid import Grid

MOST = 10  # the records have more, and their groups are of all
HEADER = ("Operation", "Group", "ms/step", "Share", "Times per step")


def host_overhead(cell: Cell) -> Iterable[tuple[str, str]]:
    """The share in which nothing computes, and what the profiler cost."""
    runs = [run for run in cell.ok_runs if run.record and run.record.host_overhead]
    if not runs:
        return
    profiles = [run.record.host_overhead for run in runs]
    share = fmean(profile.share for profile in profiles)
    yield "Host overhead", f"{percent(share)} of a step, by {profiles[0].method}"
    if cost := profiler_cost(cell):
        launched = fmean(profile.launched for profile in profiles)
        text = f"{cost_text(cost)} as long, with {launched:,.0f} operations launched"
        yield "A step under the profiler", text


def operations(cell: Cell) -> Grid:
    """The longest ones of a timed step; without lines where nothing tells them."""
    found = mean_operations(cell)
    whole = fmean(run.step_ms for run in cell.ok_runs) if found else 0.0
    lines = [
        (
            operation.name,
            str(group_of(operation.name)),
            ms(operation.ms),
            percent(operation.ms / whole),
            f"{operation.count:,.4g}",
        )
        for operation in found[:MOST]
    ]
    shown = count(min(MOST, len(found)), "operation")
    caption = f"The {shown} that take most of a step, without what the profiler adds"
    return Grid(caption, HEADER, tuple(lines))


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
