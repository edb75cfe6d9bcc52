"""What a faster host language could bring, cell by cell, as a table of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from analysis.comparisons.ceilings import Ceiling, ceilings, withheld
from analysis.formats.text import count, listed, percent, times
from analysis.report.why import cost_text
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.writing.grid import Grid

HEADER = ("Cell", "Nothing computes", "Ceiling", "Under the profiler")


def ceiling_summary(results: Results) -> str:
    """'Over 66 profiled cells the median ceiling is 1.11x and the highest 1.45x (...)'; empty where
    no cell was profiled.
    """
    return " ".join([*_found(ceilings(results)), *_left_out(withheld(results))])


def _found(found: list[Ceiling]) -> Iterator[str]:
    if not found:
        return
    highest = max(found, key=_gain)
    yield (
        f"Over {count(len(found), 'profiled cell')} the median ceiling is estimated as "
        f"{factor(median(map(_gain, found)))} and the highest as {_estimate(highest)} "
        f"({_label(highest)})."
    )
    costs = [ceiling.cost for ceiling in found if ceiling.cost and ceiling.cost.interval]
    slowed = [cost.value for cost in costs if cost.interval.low > 1]
    if slowed:
        yield (
            f"The profiler is shown to make steps longer in {len(slowed)} of "
            f"{count(len(costs), 'cell')}, {times(min(slowed))} to {times(max(slowed))}."
        )


def _left_out(cells: list[Cell]) -> Iterator[str]:
    if cells:
        labels = listed([f"{cell.row.label} on {cell.column.title}" for cell in cells])
        yield (
            "Nothing is said of cells that other work disturbed, whose steps wait for processors, "
            f"or that were not steady: {labels}."
        )


def _gain(ceiling: Ceiling) -> float:
    return ceiling.gain


def ceiling_grid(results: Results) -> Grid:
    """One line per profiled cell; without lines where there is none."""
    caption = (
        "What a faster host language could bring, 1 / (1 - share of a step in which nothing "
        "computes): an estimate, with a 95 % interval over runs and over where the profiler's own "
        "time may lie"
    )
    return Grid(caption, HEADER, tuple(map(_line, ceilings(results))))


def factor(value: float) -> str:
    """'1.45x'; a step in which nothing computes at all has no limit."""
    return times(value) if math.isfinite(value) else "no limit"


def _label(ceiling: Ceiling) -> str:
    return f"{ceiling.row.row.label} on {ceiling.cell.column.title}"


def _line(ceiling: Ceiling) -> tuple[str, ...]:
    return (
        *(_label(ceiling), percent(ceiling.share), _estimate(ceiling)),
        cost_text(ceiling.cost),
    )


def _estimate(ceiling: Ceiling) -> str:
    """'1.45× [1.4×, 1.6×]'."""
    ends = ceiling.gain_interval
    interval = f" [{factor(ends.low)}, {factor(ends.high)}]" if ends else ""
    return factor(ceiling.gain) + interval
