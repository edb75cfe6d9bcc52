"""How much a faster host language could at most bring, cell by cell, as a table of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from analysis.comparisons.ceilings import Ceiling, ceilings, withheld
from analysis.formats.text import NA, count, listed, percent, times
from analysis.report.grid import Grid
from analysis.results.cells import Cell
from analysis.results.results import Results

HEADER = (
    "Cell",
    "Nothing computes",
    "Ceiling",
    "Under the profiler",
    "Ceiling without what it adds",
)


def ceiling_summary(results: Results) -> str:
    """'Over 66 profiled cells the median ceiling is 1.11x and the highest 1.45x (...)'; empty where
    no cell was profiled.
    """
    return " ".join([*_found(ceilings(results)), *_left_out(withheld(results))])


def _found(found: list[Ceiling]) -> Iterator[str]:
    if not found:
        return
    highest = max(found, key=_most)
    yield (
        f"Over {count(len(found), 'profiled cell')} the median ceiling is "
        f"{factor(median(map(_most, found)))} and the highest {factor(highest.most)} "
        f"({_label(highest)})."
    )
    slower = [ceiling.slower for ceiling in found if ceiling.slower]
    timed = [ceiling.most_timed for ceiling in found if ceiling.most_timed]
    if slower and timed:
        yield (
            f"The profiler made steps {times(min(slower))} to {times(max(slower))} as long; "
            f"without what it adds the highest ceiling is {factor(max(timed))}."
        )


def _left_out(cells: list[Cell]) -> Iterator[str]:
    if cells:
        labels = listed([f"{cell.row.label} on {cell.column.title}" for cell in cells])
        yield (
            "Nothing is said of cells that other work disturbed, whose steps wait for processors, "
            f"too: {labels}."
        )


def _most(ceiling: Ceiling) -> float:
    return ceiling.most


def ceiling_grid(results: Results) -> Grid:
    """One line per profiled cell; without lines where there is none."""
    caption = (
        "The most that a faster host language could bring, 1 / (1 - share of a step in which "
        "nothing computes), with a 95 % interval over runs"
    )
    return Grid(caption, HEADER, tuple(map(_line, ceilings(results))))


def factor(value: float) -> str:
    """'1.45x'; a step in which nothing computes at all has no limit."""
    return times(value) if math.isfinite(value) else "no limit"


def _label(ceiling: Ceiling) -> str:
    return f"{ceiling.row.row.label} on {ceiling.cell.column.title}"


def _line(ceiling: Ceiling) -> tuple[str, ...]:
    ends = ceiling.most_interval
    interval = f" [{factor(ends.low)}, {factor(ends.high)}]" if ends else ""
    return (
        _label(ceiling),
        percent(ceiling.share),
        factor(ceiling.most) + interval,
        NA if ceiling.slower is None else times(ceiling.slower),
        NA if ceiling.most_timed is None else factor(ceiling.most_timed),
    )
