"""What is missing from the table: cells without a number, runs missing from a mean, intervals that
cannot be given.
"""

from collections.abc import Iterator

from analysis.caveats.core import Found, labelled, measured, name, places, rule, where_and_how_much
from analysis.caveats.thresholds import WIDE_INTERVAL
from analysis.data import Data
from analysis.formats.text import count, percent
from analysis.results.cells import Cell
from analysis.results.runs import NOT_MEASURED, NOT_PLANNED, OK, STALE, UNSUPPORTED


@rule
def failed_runs(data: Data) -> Iterator[Found]:
    """Runs that ended without a number, cell by cell, with the reason."""
    for cell in data.results.cells:
        failed = [run for run in cell.runs if run.status not in (OK, STALE, NOT_MEASURED)]
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
    runs = {
        cell: [run.number for run in cell.runs if run.status == NOT_MEASURED]
        for cell in data.results.cells
    }
    missing = {cell: numbers for cell, numbers in runs.items() if numbers}
    total = sum(map(len, missing.values()))
    yield Found(missing, {"missing_runs": labelled(missing)}, {"total": total})


@rule
def unsupported(data: Data) -> Iterator[Found]:
    """Cells that are known not to run, or that the plan leaves out."""
    reasons: dict[str, list[Cell]] = {}
    for cell in data.results.cells:
        if cell.status in (UNSUPPORTED, NOT_PLANNED):
            reasons.setdefault(cell.reason, []).append(cell)
    for reason, cells in reasons.items():
        yield Found(cells, {"reason": reason})


@rule
def single_run(data: Data) -> Iterator[Found]:
    """How much runs scatter is unknown from one run."""
    every = measured(data.results.rows)
    cells = [cell for cell in every if len(cell.ok_runs) == 1]
    evidence = {"cells": len(cells), "runs_planned": data.results.plan.runs}
    yield Found(cells, evidence, {"all": len(cells) == len(every)})


@rule
def wide_interval(data: Data) -> Iterator[Found]:
    """The interval is too wide for the mean to be of use."""
    cells = [cell for cell in measured(data.results.rows) if cell.interval]
    yield from where_and_how_much(
        {c: c.interval.half_width for c in cells if c.interval.half_width > WIDE_INTERVAL},
        describe=lambda cell: (
            f"{percent(cell.interval.half_width)} in {count(len(cell.ok_runs), 'run')}"
        ),
        threshold=WIDE_INTERVAL,
    )


@rule
def restarted_runs(data: Data) -> Iterator[Found]:
    """The measuring process was started a second time."""
    reasons = {
        cell: [record.restarted for record in cell.records if record.restarted]
        for cell in measured(data.results.rows)
    }
    restarted = {cell: found for cell, found in reasons.items() if found}

    def why(cell: Cell) -> str:
        found = restarted[cell]
        return f"{count(len(found), 'run')}, {'; '.join(dict.fromkeys(found))}"

    yield Found(restarted, {"reasons": labelled(restarted)}, {"where": places(restarted, why)})
