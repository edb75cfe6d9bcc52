"""Whether the machine drifted: the canaries before and after each round, of each accelerator by
itself. What runs on a processor is judged by work on the processor, and so is each GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.formats.text import count, listed, percent, signed_percent
from analysis.results.canaries import Canaries, rounds
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.statistics.intervals import MARGIN


@rule(
    "The machine drifted within a round",
    "Columns of such a round were not measured at the same speed of the machine.",
    Changes.ORDER,
    "Fixed clocks and good cooling; more rounds average it out.",
)
def round_drifted(results: Results) -> Iterator[Caveat]:
    """Rounds in which fixed work took another time afterwards than before."""
    for accelerator, canaries in _by_accelerator(results).items():
        useless = _useless(results, accelerator)
        drifted = {
            entry.number: entry.drifted
            for entry in rounds(canaries)
            if entry.drifted and not {entry.number - 1, entry.number} & useless.keys()
        }
        if drifted:
            details = "; ".join(
                f"round {number}: {listed([_change(*item) for item in work.items()])}"
                for number, work in drifted.items()
            )
            sentence = (
                f"The machine drifted by more than {percent(MARGIN)} within a round"
                f"{_on(results, accelerator)}, by the time that the same fixed work took before "
                f"and after it ({details})."
            )
            evidence = {
                "accelerator": accelerator,
                "time_after_over_before": {str(number): work for number, work in drifted.items()},
                "rounds": len(canaries) - 1,
                "threshold": MARGIN,
            }
            cells = _concerned(results, accelerator)
            yield Caveat("round_drifted", Severity.WARNING, cells, evidence, sentence)


def _change(work: str, ratio: float) -> str:
    return f"{work} {signed_percent(ratio - 1)}"


@rule(
    "Whether the machine drifted is not known",
    "Fixed work before or after some rounds is missing, or tells nothing.",
    Changes.UNTESTED,
)
def drift_unknown(results: Results) -> Iterator[Caveat]:
    """Rounds that lack a successful canary before or after them."""
    for accelerator, canaries in _by_accelerator(results).items():
        on, cells = _on(results, accelerator), _concerned(results, accelerator)
        useless = _useless(results, accelerator)
        if not canaries:
            sentence = (
                f"No fixed work was timed between the runs{on}: nothing shows whether the machine "
                "drifted."
            )
            evidence = {"accelerator": accelerator, "canaries": 0}
            yield Caveat("drift_unknown", Severity.NOTE, cells, evidence, sentence)
        elif useless:
            numbers = [
                entry.number
                for entry in rounds(canaries)
                if {entry.number - 1, entry.number} & useless.keys()
            ]
            reasons = "; ".join(f"canary {index} {why}" for index, why in useless.items())
            sentence = (
                f"Whether the machine drifted is not known for {count(len(numbers), 'round')} of "
                f"{len(canaries) - 1}{on} ({reasons})."
            )
            evidence = {
                "accelerator": accelerator,
                "rounds": numbers,
                "reasons": {str(k): why for k, why in useless.items()},
            }
            yield Caveat("drift_unknown", Severity.NOTE, cells, evidence, sentence)


def _by_accelerator(results: Results) -> dict[str, Canaries]:
    """Canaries by accelerator, for each that the plan names or that has columns; an empty list
    where none was measured.
    """
    return {kind: results.canaries.get(kind, ()) for kind in results.accelerators}


def _on(results: Results, accelerator: str) -> str:
    """Which accelerator is meant, where there are several."""
    return f" on {accelerator}" if len(results.accelerators) > 1 else ""


def _concerned(results: Results, accelerator: str) -> tuple[Cell, ...]:
    """The measured cells of an accelerator; none, for the whole report, where it is the only
    one.
    """
    if len(results.accelerators) < 2:
        return ()
    return tuple(c for c in measured(results.rows) if c.column.accelerator == accelerator)


def _useless(results: Results, accelerator: str) -> dict[int, str]:
    """Canaries that cannot stand for the records of their accelerator: reason by index."""
    machines = {
        record.machine.id for record in results.records if record.cell.accelerator == accelerator
    }
    found = {}
    for index, canary in enumerate(results.canaries.get(accelerator, ())):
        if canary is None:
            found[index] = "was not measured"
        elif not canary.ok:
            found[index] = f"ended as {canary.status}: {canary.reason}"
        elif machines and canary.machine_id not in machines:
            found[index] = "was measured on another machine than the records"
    return found


@rule(
    "Runs measured outside of their round",
    "The fixed work of their round tells nothing about the machine at that time.",
    Changes.UNTESTED,
    "Remove the records of the whole round and start again.",
)
def outside_of_canaries(results: Results) -> Iterator[Caveat]:
    """Runs that were not measured between the canaries of their round."""
    outside = {
        cell: numbers
        for cell in measured(results.rows)
        if (numbers := _outside(cell, results.canaries.get(cell.column.accelerator, ())))
    }
    if outside:
        sentence = (
            "Measured before or after the canaries of their round, which cannot stand for the "
            f"machine at that time ({places(outside, lambda cell: _runs(outside[cell]))})."
        )
        evidence = {"runs": {label(cell): numbers for cell, numbers in outside.items()}}
        yield Caveat("outside_of_canaries", Severity.WARNING, tuple(outside), evidence, sentence)


def _runs(numbers: list[int]) -> str:
    return f"{'run' if len(numbers) == 1 else 'runs'} {listed(list(map(str, numbers)))}"


def _outside(cell: Cell, canaries: Canaries) -> list[int]:
    return [run.number for run in cell.ok_runs if _is_outside(run, canaries)]


def _is_outside(run: Run, canaries: Canaries) -> bool:
    """Whether a run began before the canary before its round, or ended after the one after it; a
    missing canary is no limit.
    """
    if not run.record or run.number >= len(canaries):
        return False
    before, after = canaries[run.number - 1], canaries[run.number]
    started, finished = map(datetime.fromisoformat, (run.record.started_at, run.record.finished_at))
    early = before is not None and started < before.finished_at
    return early or (after is not None and finished > after.started_at)
