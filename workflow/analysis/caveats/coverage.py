"""What is missing from the table: cells without a number, runs missing from a mean, intervals that
cannot be given, times that cannot be tested.
"""

from collections.abc import Iterator

from analysis.caveats.core import (
    Found,
    by_value,
    found_in,
    label,
    labelled,
    measured,
    name,
    places,
    rule,
    where_and_how_much,
)
from analysis.caveats.thresholds import WIDE_INTERVAL
from analysis.data import Data
from analysis.formats.text import count, percent
from analysis.results.cells import Cell
from analysis.results.runs import NOT_MEASURED, NOT_PLANNED, OK, STALE, UNSUPPORTED
from contract.disturbance import DISTURBED

MOST_TOLD = 10.0  # of a relative half-width: beyond it a number says no more
NO_FAILURE = (OK, STALE, NOT_MEASURED, DISTURBED)
NO_PEAK = (
    "no canary measured a matrix product of their precision on their machine, or none without "
    "other processes beside it"
)
NO_FLOPS = "the FLOPs of a step are not known"


@rule
def failed_runs(data: Data) -> Iterator[Found]:
    """Runs that ended without a number, cell by cell, with the reason."""
    for cell in data.results.cells:
        failed = [run for run in cell.runs if run.status not in NO_FAILURE]
        if failed and cell.status != UNSUPPORTED:
            reasons = list(dict.fromkeys(f"{run.status}: {run.reason}" for run in failed))
            evidence = {"failed": len(failed), "planned": len(cell.runs), "reasons": reasons}
            yield Found((cell,), evidence, {"name": name(cell)})


@rule
def stale_records(data: Data) -> Iterator[Found]:
    """Records of another configuration are shown as such and never averaged."""
    for cell in data.results.cells:
        stale = {run.number: run.reason for run in cell.runs if run.status == STALE}
        if stale:
            evidence = {"runs": list(stale), "reasons": list(stale.values())}
            yield Found((cell,), evidence, {"name": name(cell)})


@rule
def not_measured(data: Data) -> Iterator[Found]:
    """Planned runs without a record."""
    missing = found_in(
        data.results.cells, lambda c: [run.number for run in c.runs if run.status == NOT_MEASURED]
    )
    total = sum(map(len, missing.values()))
    yield Found(missing, {"missing_runs": labelled(missing)}, {"total": total})


@rule
def unsupported(data: Data) -> Iterator[Found]:
    """Cells that are known not to run, or that the plan leaves out."""
    left_out = [c for c in data.results.cells if c.status in (UNSUPPORTED, NOT_PLANNED)]
    for reason, cells in by_value(left_out, lambda cell: [cell.reason]).items():
        yield Found(cells, {"reason": reason})


@rule
def single_run(data: Data) -> Iterator[Found]:
    """Cells with one run, from which it is unknown how much runs scatter."""
    every = measured(data.results.rows)
    cells = [cell for cell in every if len(cell.ok_runs) == 1]
    evidence = {"cells": len(cells), "runs_planned": data.results.plan.runs}
    yield Found(cells, evidence, {"all": len(cells) == len(every)})


@rule
def wide_interval(data: Data) -> Iterator[Found]:
    """Cells whose interval is too wide for the mean to be of use."""

    def text(cell: Cell) -> str:
        width = cell.interval.half_width
        told = percent(width) if width < MOST_TOLD else f"over {percent(MOST_TOLD)}"
        return f"{told} in {count(len(cell.ok_runs), 'run')}"

    widths = {c: c.interval.half_width for c in measured(data.results.rows) if c.interval}
    wide = {cell: width for cell, width in widths.items() if width > WIDE_INTERVAL}
    yield from where_and_how_much(wide, describe=text, threshold=WIDE_INTERVAL)


@rule
def plausibility_not_tested(data: Data) -> Iterator[Found]:
    """Cells whose implied FLOP/s could not be compared with a peak."""
    cells = [
        cell
        for cell in measured(data.results.rows)
        if not cell.column.alone and all(run.share_of_peak is None for run in cell.ok_runs)
    ]
    groups = by_value(cells, lambda cell: [NO_PEAK if _counted(cell) else NO_FLOPS])
    reasons = [
        f"{why}: {places(groups[why], rows=data.results.rows)}"
        for why in (NO_PEAK, NO_FLOPS)
        if why in groups
    ]
    evidence = {
        "without_peak": list(map(label, groups.get(NO_PEAK, ()))),
        "without_flops": list(map(label, groups.get(NO_FLOPS, ()))),
    }
    yield Found(cells, evidence, {"reasons": reasons})


def _counted(cell: Cell) -> bool:
    return any(record.work and record.work.flops_per_step for record in cell.records)
