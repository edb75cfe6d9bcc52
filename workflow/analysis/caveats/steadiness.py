"""Runs whose steps did not stay on one level, or of too few blocks to see whether they did."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.formats.text import count, listed, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.statistics.steady_state import MIN_BLOCKS, SteadyState


@rule(
    "Steps that did not settle",
    "Their mean is not the time of a steady state, so it is never called best.",
    Changes.ORDER,
    "Fixed clocks, a quieter machine, or a larger batch size.",
)
def not_steady(results: Results) -> Iterator[Caveat]:
    """Cells most of whose runs did not stay on one level, or all of whose runs went on changing:
    their mean is not that of a steady state.
    """
    unsteady = [cell for cell in measured(results.rows) if not cell.steady]
    if unsteady:
        where = places(unsteady, _unsteady)
        sentence = (
            f"Steps did not settle ({where}): the mean of such a cell is not the time of a steady "
            "state, so it is never called best."
        )
        yield Caveat("not_steady", Severity.WARNING, tuple(unsteady), _evidence(unsteady), sentence)


@rule(
    "Single runs that were not steady",
    "Most runs of the cell were, so that it is compared; its interval has what they add.",
    Changes.TIMES,
)
def inconsistent_runs(results: Results) -> Iterator[Caveat]:
    """Cells of which some runs, but not most, did not stay on one level, or warmed up."""
    cells = [
        cell for cell in measured(results.rows) if cell.steadiness.state is SteadyState.INCONSISTENT
    ]
    if cells:
        where = places(cells, _unsteady)
        sentence = f"Some runs were not steady where most were ({where})."
        yield Caveat("inconsistent_runs", Severity.NOTE, tuple(cells), _evidence(cells), sentence)


@rule(
    "Warm-up left out of a mean",
    "These runs reached their final level only while they were timed; what came before is not in "
    "the mean.",
    Changes.UNTESTED,
)
def warm_up_left_out(results: Results) -> Iterator[Caveat]:
    """Runs whose first blocks were warm-up."""
    shares = {
        cell: max(run.left_out / max(run.steadiness.blocks, 1) for run in cell.ok_runs)
        for cell in measured(results.rows)
    }
    found = {cell: share for cell, share in shares.items() if share}
    if found:
        where = places(found, lambda cell: f"up to {percent(found[cell])}", found.get)
        sentence = (
            f"First blocks of runs were warm-up and are not in their means ({where} of them)."
        )
        evidence = {"highest_share": {label(cell): share for cell, share in found.items()}}
        yield Caveat("warm_up_left_out", Severity.NOTE, tuple(found), evidence, sentence)


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


def _evidence(cells: list[Cell]) -> dict:
    return {
        "runs": {label(cell): [_steadiness(run) for run in _deviant(cell)] for cell in cells},
        "course": {
            label(cell): cell.steadiness.course
            for cell in cells
            if cell.steadiness.course is not None
        },
    }


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


@rule(
    "Too few blocks to test for a steady state",
    "Whether these steps had settled is not known.",
    Changes.UNTESTED,
)
def steady_state_not_tested(results: Results) -> Iterator[Caveat]:
    """Runs of too few blocks to see a change of level."""
    fewest = {
        cell: min(run.steadiness.blocks for run in cell.ok_runs)
        for cell in measured(results.rows)
        if cell.records
    }
    cells = tuple(cell for cell, blocks in fewest.items() if blocks < MIN_BLOCKS)
    if cells:
        where = places(cells, lambda cell: str(fewest[cell]), lambda cell: -fewest[cell])
        sentence = (
            f"Whether steps were steady was not tested in every run, for want of {MIN_BLOCKS} "
            f"blocks ({where})."
        )
        evidence = {
            "blocks": {label(cell): fewest[cell] for cell in cells},
            "threshold": MIN_BLOCKS,
        }
        yield Caveat("steady_state_not_tested", Severity.NOTE, cells, evidence, sentence)
