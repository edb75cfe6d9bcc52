"""Runs whose steps did not stay on one level, or of too few blocks to see whether they did."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    label,
    measured,
    rule,
    where_and_how_much,
)
from analysis.formats.text import count, listed, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.statistics.steady_state import SteadyState


@rule(
    "Steps that did not settle",
    "Their mean is not the time of a steady state, so it is never called best.",
    Changes.ORDER,
    "Fix the clocks, use a quieter machine, or measure a larger batch size.",
)
def not_steady(results: Results) -> Iterator[Caveat]:
    """Most runs of these cells did not stay on one level, or all of them went on changing."""
    cells = [cell for cell in measured(results.rows) if not cell.steady]
    yield from _unsettled(
        "not_steady",
        cells,
        "Steps did not settle ({where}): the mean of such a cell is not the time of a steady "
        "state, so it is never called best.",
        Severity.WARNING,
    )


@rule(
    "Some runs were not steady",
    "Most runs of the cell were, so that it is compared; its interval has what they add.",
    Changes.TIMES,
)
def inconsistent_runs(results: Results) -> Iterator[Caveat]:
    """Some runs of these cells, but not most, did not stay on one level, or warmed up."""
    cells = [
        cell for cell in measured(results.rows) if cell.steadiness.state is SteadyState.INCONSISTENT
    ]
    text = "Some runs were not steady where most were ({where})."
    yield from _unsettled("inconsistent_runs", cells, text, Severity.NOTE)


def _unsettled(name: str, cells: list[Cell], sentence: str, severity: Severity) -> Iterator[Caveat]:
    """Yield a caveat with the runs that did not settle as evidence."""
    courses = {label(cell): cell.steadiness.course for cell in cells if cell.steadiness.course}
    yield from where_and_how_much(
        name,
        {cell: [_steadiness(run) for run in _deviant(cell)] for cell in cells},
        sentence,
        describe=_unsteady,
        severity=severity,
        course=courses,
    )


def _unsteady(cell: Cell) -> str:
    """'slowdown in 2 of 3 runs', or how much all runs changed."""
    if cell.steadiness.course is not None:
        change = abs(math.expm1(cell.steadiness.course))
        return f"{cell.steadiness.state}, by {percent(change)} from half to half of every run"
    states = [run.steadiness.state for run in _deviant(cell)]
    runs = count(len(cell.ok_runs), "run")
    return f"{listed(list(dict.fromkeys(map(str, states))))} in {len(states)} of {runs}"


def _deviant(cell: Cell) -> list[Run]:
    usual = (SteadyState.FLAT, SteadyState.NOT_TESTED)
    return [run for run in cell.ok_runs if run.steadiness.state not in usual]


def _steadiness(run: Run) -> dict:
    """The classification of a run, as evidence."""
    steadiness = run.steadiness
    return {
        "run": run.number,
        "class": steadiness.state,
        "blocks": steadiness.blocks,
        "blocks_of_the_final_level": steadiness.tail_blocks,
        "mean_over_final_level": steadiness.mean_over_tail,
    }
