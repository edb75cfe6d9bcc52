"""Cells whose steps did not stay on one level, so that their place in a row may be one of luck."""

from collections.abc import Iterator

from analysis.caveats.core import Found, label, measured, rule, where_and_how_much
from analysis.data import Data
from analysis.formats.text import count, listed, percent
from analysis.results.cells import Cell
from analysis.results.runs import Run
from analysis.statistics.steady_state import SteadyState


@rule
def not_steady(data: Data) -> Iterator[Found]:
    """Most runs of these cells did not stay on one level, or all of them went on changing."""
    return _unsettled([cell for cell in measured(data.results.rows) if not cell.steady])


@rule
def inconsistent_runs(data: Data) -> Iterator[Found]:
    """Some runs of these cells, but not most, did not stay on one level, or warmed up."""
    cells = measured(data.results.rows)
    return _unsettled([c for c in cells if c.steadiness.state is SteadyState.INCONSISTENT])


def _unsettled(cells: list[Cell]) -> Iterator[Found]:
    """Yield a finding for these cells, with the runs that did not settle as evidence."""
    courses = {label(cell): cell.steadiness.course for cell in cells if cell.steadiness.course}
    deviant = {cell: [_classified(run) for run in _deviant(cell)] for cell in cells}
    yield from where_and_how_much(deviant, describe=_unsteady, course=courses)


def _unsteady(cell: Cell) -> str:
    """How a cell is not steady: 'slowdown in 2 of 3 runs', or how much all runs changed."""
    if cell.steadiness.course is not None:
        change = abs(cell.steadiness.course - 1)
        return f"{cell.steadiness.state}, by {percent(change)} from half to half of every run"
    states = [str(run.steadiness.state) for run in _deviant(cell)]
    runs = count(len(cell.ok_runs), "run")
    return f"{listed(list(dict.fromkeys(states)))} in {len(states)} of {runs}"


def _deviant(cell: Cell) -> list[Run]:
    usual = (SteadyState.FLAT, SteadyState.NOT_TESTED)
    return [run for run in cell.ok_runs if run.steadiness.state not in usual]


def _classified(run: Run) -> dict:
    """The classification of a run, as evidence."""
    return {
        "run": run.number,
        "class": run.steadiness.state,
        "blocks": run.steadiness.blocks,
        "blocks_of_the_final_level": run.steadiness.tail_blocks,
        "mean_over_final_level": run.steadiness.mean_over_tail,
    }
