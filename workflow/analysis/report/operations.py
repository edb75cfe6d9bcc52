"""What a step of a cell is spent on, for its details."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from analysis.comparisons.operation_groups import group_of
from analysis.comparisons.why import mean_operations
from analysis.formats.text import count, ms, percent, times
from analysis.report.grid import Grid
from analysis.results.cells import Cell

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
    found = [run.record.host_overhead.slower(run.step_ms) for run in runs]
    slower = [factor for factor in found if factor]
    if slower:
        launched = fmean(profile.launched for profile in profiles)
        text = f"{times(fmean(slower))} as long, with {launched:,.0f} operations launched"
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
