"""Rows in which the order of the columns is no ranking, or one of luck: steps that did not stay on
one level, processes of two modes, leads within the margin.
"""

import math
from collections.abc import Iterator

from analysis.caveats.core import (
    Found,
    Severity,
    label,
    labelled,
    measured,
    places,
    rule,
    where_and_how_much,
)
from analysis.data import Data
from analysis.formats.text import count, listed, ms, percent
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import MARGIN, geometric_mean
from analysis.statistics.modes import modes_of, without_rounds
from analysis.statistics.steady_state import SteadyState


@rule
def close_call(data: Data) -> Iterator[Found]:
    """Rows whose fastest column leads by less than the margin that counts as the same."""
    compared = [row.comparable for row in data.results.rows if len(row.comparable) > 1]
    firsts = [sorted(cells, key=lambda cell: cell.step_ms)[:2] for cells in compared]
    leads = [(first, second, second.step_ms / first.step_ms - 1) for first, second in firsts]
    close = [(first, second, lead) for first, second, lead in leads if lead < MARGIN]
    details = [
        f"{first.row.label}: {first.column.title} before {second.column.title} by "
        f"{100 * lead:.2f}\u00a0%"
        for first, second, lead in close
    ]
    cells = [cell for first, second, _ in close for cell in (first, second)]
    evidence = {
        "lead": {"/".join(map(str, first.row.key)): lead for first, _, lead in close},
        "rows": len(compared),
        "threshold": MARGIN,
    }
    single = any(len(cell.ok_runs) == 1 for cell in cells)
    severity = Severity.WARNING if single else None
    yield Found(cells, evidence, {"single": single, "details": details}, severity)


@rule
def two_modes(data: Data) -> Iterator[Found]:
    """Cells whose run means lie in two groups far apart."""
    found = {cell: modes for row in data.results.rows for cell, modes in _modes(row).items()}

    def text(cell: Cell) -> str:
        fast, slow, share = found[cell].values()
        return f"{ms(fast)} or {ms(slow)} ms, the slower in {percent(share)} of its runs"

    def apart(cell: Cell) -> float:
        return found[cell]["slower_ms"] / found[cell]["faster_ms"]

    yield Found(found, labelled(found), {"where": places(found, text, apart)})


def _modes(row: RowCells) -> dict[Cell, dict[str, float]]:
    """For the cells with two modes: ms/step of both, and the share of runs in the slower one."""
    cells = {cell.column.name: cell for cell in row.measured if not cell.disturbed}
    rounds = without_rounds({name: cell.run_ms for name, cell in cells.items()})
    found = {}
    for name, logs in rounds.items():
        if modes := modes_of(logs):
            times = list(zip(cells[name].run_ms.values(), modes, strict=True))
            fast, slow = ([time for time, of in times if of == mode] for mode in (False, True))
            found[cells[name]] = {
                "faster_ms": geometric_mean(fast),
                "slower_ms": geometric_mean(slow),
                "share_slower": len(slow) / len(logs),
            }
    return found


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
        change = abs(math.expm1(cell.steadiness.course))
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
