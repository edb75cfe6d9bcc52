"""How much of the machine's arithmetic the cells use, by the canaries' best matrix product."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from analysis.caveats.causes import OVERHEAD, UNTESTED
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    comparable,
    label,
    measured,
    places,
    rule,
    where_and_how_much,
)
from analysis.caveats.thresholds import LOW_USE
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.results import Results


@rule(
    "Arithmetic is a small part of a step",
    "These cells compare overhead, memory traffic or small operations.",
    Changes.ELSEWHERE,
    "Measure larger models or batch sizes.",
    OVERHEAD,
)
def overhead_bound(results: Results) -> Iterator[Caveat]:
    """Cells that reach only a small share of the FLOP/s of the best matrix product."""
    shares = {cell: share_of_peak(cell) for cell in comparable(results.rows)}
    low = {cell: share for cell, share in shares.items() if share is not None and share < LOW_USE}
    yield from where_and_how_much(
        "overhead_bound",
        low,
        "At the speed of the best matrix product of the canaries, arithmetic would take under "
        f"{percent(LOW_USE)} of the step ({{where}}). The rest is overhead (Python, dispatch, "
        "launching kernels), memory traffic, or kernels that are far from that peak: that is what "
        "these cells compare.",
        percent,
        size=lambda share: -share,
        threshold=LOW_USE,
    )


@rule(
    "Not tested whether times are too short",
    "The peak of the machine or the FLOPs of a step are not known there.",
    Changes.UNTESTED,
    cause=UNTESTED,
)
def plausibility_not_tested(results: Results) -> Iterator[Caveat]:
    """Cells whose implied FLOP/s could not be compared with a peak."""
    with_work = (cell for cell in measured(results.rows) if not cell.column.alone)
    cells = tuple(cell for cell in with_work if share_of_peak(cell) is None)
    if cells:
        uncounted = tuple(cell for cell in cells if not _counted(cell))
        without_peak = tuple(cell for cell in cells if _counted(cell))
        reasons = []
        if without_peak:
            reasons.append(
                "no canary measured a matrix product of their precision on their machine, or none "
                f"without other processes beside it: "
                f"{places(without_peak, rows=results.rows)}"
            )
        if uncounted:
            reasons.append(
                f"the FLOPs of a step are not known: {places(uncounted, rows=results.rows)}"
            )
        sentence = f"Whether times are too short to be true was not tested ({'; '.join(reasons)})."
        evidence = {
            "without_peak": list(map(label, without_peak)),
            "without_flops": list(map(label, uncounted)),
        }
        yield Caveat("plausibility_not_tested", Severity.NOTE, cells, evidence, sentence)


def share_of_peak(cell: Cell) -> float | None:
    """Mean over the runs that were tested; None when none was."""
    shares = [run.share_of_peak for run in cell.ok_runs if run.share_of_peak is not None]
    return fmean(shares) if shares else None


def _counted(cell: Cell) -> bool:
    return any(record.work and record.work.flops_per_step for record in cell.records)
