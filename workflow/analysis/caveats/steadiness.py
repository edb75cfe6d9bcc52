"""Runs whose steps did not stay on one level, or of too few blocks to see whether they did."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.formats.text import count
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.statistics.steady_state import MIN_BLOCKS


@rule(
    "Steps that did not settle",
    "Their mean is not the time of a steady state, so it is never called best.",
    Changes.ORDER,
    "Fixed clocks, a quieter machine, or a larger batch size.",
)
def not_steady(results: Results) -> Iterator[Caveat]:
    """Cells with a run whose steps did not stay on one level: their mean is not that of a steady
    state.
    """
    unsteady = {
        cell: [run for run in cell.ok_runs if not run.steadiness.steady]
        for cell in measured(results.rows)
        if not cell.steady
    }
    if unsteady:
        runs = [run for found in unsteady.values() for run in found]
        extended = sum(run.record.timing.extended for run in runs)
        longer = f", {extended} of them although timed twice as long" if extended else ""
        where = places(
            unsteady,
            lambda cell: (
                f"{cell.steadiness.state} in {len(unsteady[cell])} of "
                f"{count(len(cell.ok_runs), 'run')}"
            ),
        )
        sentence = (
            f"Steps did not settle in {count(len(runs), 'run')}{longer} ({where}): the mean of "
            "such a cell is not the time of a steady state, so it is never called best."
        )
        evidence = {
            "runs": {label(cell): list(map(_steadiness, unsteady[cell])) for cell in unsteady}
        }
        yield Caveat("not_steady", Severity.WARNING, tuple(unsteady), evidence, sentence)


def _steadiness(run: Run) -> dict:
    """The classification of a run, as evidence."""
    steadiness = run.steadiness
    return {
        "run": run.number,
        "class": steadiness.state,
        "blocks": steadiness.blocks,
        "blocks_of_the_final_level": steadiness.tail_blocks,
        "mean_over_final_level": steadiness.mean_over_tail,
        "extended": run.record.timing.extended,
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
