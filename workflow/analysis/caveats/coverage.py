"""What is missing from the table: cells without a number, runs missing from a mean, intervals that
cannot be given.
"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import NOISE
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    label,
    measured,
    name,
    places,
    rule,
    where_and_how_much,
)
from analysis.caveats.thresholds import WIDE_INTERVAL
from analysis.formats.text import count, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import NOT_MEASURED, NOT_PLANNED, OK, STALE, UNSUPPORTED


@rule(
    "Runs that gave no time",
    "They are missing from their means, and a cell without any other has no number.",
    Changes.ORDER,
    "Read the reason at each cell; to try again, remove its record and start again.",
)
def failed_runs(results: Results) -> Iterator[Caveat]:
    """Runs that ended without a number, cell by cell, with the reason."""
    for cell in results.cells:
        failed = [run for run in cell.runs if run.status not in (OK, STALE, NOT_MEASURED)]
        if failed and cell.status != UNSUPPORTED:
            reasons = list(dict.fromkeys(f"{run.status}: {run.reason}" for run in failed))
            share = f"{len(failed)} of {count(len(cell.runs), 'run')}"
            evidence = {"failed": len(failed), "planned": len(cell.runs), "reasons": reasons}
            sentence = f"{name(cell)}: {share} gave no time ({'; '.join(reasons)})."
            yield Caveat("failed_runs", Severity.CRITICAL, (cell,), evidence, sentence)


@rule(
    "Records of another configuration",
    "They were measured with other settings or sources than today's, and enter no mean.",
    Changes.ORDER,
    "Start again: what is stale is measured.",
)
def stale_records(results: Results) -> Iterator[Caveat]:
    """Records of another configuration are shown as such and never averaged."""
    for cell in results.cells:
        stale = [run for run in cell.runs if run.status == STALE]
        if stale:
            evidence = {
                "runs": [run.number for run in stale],
                "reasons": [run.reason for run in stale],
            }
            sentence = f"{name(cell)}: {count(len(stale), 'record')} left out, {stale[0].reason}."
            yield Caveat("stale_records", Severity.CRITICAL, (cell,), evidence, sentence)


@rule(
    "Not everything is measured yet",
    "Cells and intervals of this table will still change.",
    Changes.ORDER,
    "Start again: it goes on where it stopped.",
)
def not_measured(results: Results) -> Iterator[Caveat]:
    """Planned runs without a record."""
    missing = {
        cell: [run.number for run in cell.runs if run.status == NOT_MEASURED]
        for cell in results.cells
    }
    cells = tuple(cell for cell, runs in missing.items() if runs)
    if cells:
        evidence = {label(cell): missing[cell] for cell in cells}
        total = sum(map(len, evidence.values()))
        where = places(cells, rows=results.rows)
        sentence = f"{count(total, 'planned run')} not measured yet ({where})."
        yield Caveat("not_measured", Severity.CRITICAL, cells, {"missing_runs": evidence}, sentence)


@rule(
    "Cells left out on purpose",
    "They cannot run, or the plan leaves them out; their rows are compared without them.",
    Changes.ORDER,
)
def unsupported(results: Results) -> Iterator[Caveat]:
    """Cells that are known not to run, or that the plan leaves out."""
    reasons: dict[str, list[Cell]] = {}
    for cell in results.cells:
        if cell.status in (UNSUPPORTED, NOT_PLANNED):
            reasons.setdefault(cell.reason, []).append(cell)
    for reason, cells in reasons.items():
        sentence = f"Without a number: {places(cells, rows=results.rows)} ({reason})."
        yield Caveat("unsupported", Severity.NOTE, tuple(cells), {"reason": reason}, sentence)


@rule(
    "Times from a single run",
    "The spread between processes is unknown: no interval, and none of these is called best.",
    Changes.ORDER,
    "A higher number of runs: what is measured is kept.",
)
def single_run(results: Results) -> Iterator[Caveat]:
    """How much runs scatter is unknown from one run."""
    cells = tuple(cell for cell in measured(results.rows) if len(cell.ok_runs) == 1)
    if cells:
        everything = len(cells) == len(measured(results.rows))
        where = "All times" if everything else f"Some cells ({places(cells, rows=results.rows)})"
        sentence = (
            f"{where} rest on a single run: the spread between processes is unknown, so these have "
            "no interval and none of them can be called best."
        )
        evidence = {"cells": len(cells), "runs_planned": results.plan.runs}
        yield Caveat("single_run", Severity.CRITICAL, cells, evidence, sentence)


@rule(
    "Wide intervals",
    "The mean of these cells says little.",
    Changes.TIMES,
    "Add runs, or use a quieter machine.",
    NOISE,
)
def wide_interval(results: Results) -> Iterator[Caveat]:
    """The interval is too wide for the mean to be of use."""
    widths = {cell: cell.interval.half_width for cell in measured(results.rows) if cell.interval}
    wide = {cell: width for cell, width in widths.items() if width > WIDE_INTERVAL}
    yield from where_and_how_much(
        "wide_interval",
        wide,
        f"The 95 % interval is wider than ±{percent(WIDE_INTERVAL)} ({{where}}): more runs would "
        "narrow it.",
        describe=lambda cell: f"{percent(wide[cell])} in {count(len(cell.ok_runs), 'run')}",
        threshold=WIDE_INTERVAL,
    )
