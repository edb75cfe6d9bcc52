"""How much of the machine's arithmetic the cells use, by the canaries' best matrix product."""

from collections.abc import Iterator
from statistics import fmean

from analysis.caveats.core import (
    Found,
    comparable,
    label,
    measured,
    places,
    rule,
    where_and_how_much,
)
from analysis.caveats.thresholds import LOW_USE
from analysis.data import Data
from analysis.formats.text import percent
from analysis.results.cells import Cell

NO_PEAK = (
    "no canary measured a matrix product of their precision on their machine, or none without "
    "other processes beside it"
)


@rule
def overhead_bound(data: Data) -> Iterator[Found]:
    """Cells that reach only a small share of the FLOP/s of the best matrix product."""
    shares = {cell: share_of_peak(cell) for cell in comparable(data.results.rows)}
    low = {cell: share for cell, share in shares.items() if share is not None and share < LOW_USE}
    yield from where_and_how_much(low, percent, size=lambda share: -share, threshold=LOW_USE)


@rule
def plausibility_not_tested(data: Data) -> Iterator[Found]:
    """Cells whose implied FLOP/s could not be compared with a peak."""
    with_work = (cell for cell in measured(data.results.rows) if not cell.column.alone)
    cells = [cell for cell in with_work if share_of_peak(cell) is None]
    without_peak = [cell for cell in cells if _counted(cell)]
    uncounted = [cell for cell in cells if not _counted(cell)]
    reasons = [
        f"{why}: {places(found, rows=data.results.rows)}"
        for why, found in (
            (NO_PEAK, without_peak),
            ("the FLOPs of a step are not known", uncounted),
        )
        if found
    ]
    evidence = {
        "without_peak": list(map(label, without_peak)),
        "without_flops": list(map(label, uncounted)),
    }
    yield Found(cells, evidence, {"reasons": reasons})


def share_of_peak(cell: Cell) -> float | None:
    """Mean over the runs that were tested; None when none was."""
    shares = [run.share_of_peak for run in cell.ok_runs if run.share_of_peak is not None]
    return fmean(shares) if shares else None


def _counted(cell: Cell) -> bool:
    return any(record.work and record.work.flops_per_step for record in cell.records)
