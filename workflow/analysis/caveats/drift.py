"""Whether the machine drifted: the canaries before and after each round."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from analysis.caveats.core import Caveat, Severity, label, measured, places, rule
from analysis.formats.text import count, listed, percent, signed_percent
from analysis.results.canaries import Canary, rounds
from analysis.results.cells import Results, Run
from analysis.statistics.intervals import MARGIN


@rule
def round_drifted(results: Results) -> Iterator[Caveat]:
    """Rounds in which fixed work took another time afterwards than before."""
    useless = _useless(results)
    drifted = {
        entry.number: entry.drifted
        for entry in rounds(results.canaries)
        if entry.drifted and not {entry.number - 1, entry.number} & useless.keys()
    }
    if drifted:
        words = "; ".join(
            f"round {number}: {listed([_change(*item) for item in work.items()])}"
            for number, work in drifted.items()
        )
        sentence = (
            f"The machine drifted by more than {percent(MARGIN)} within a round, by the time that "
            f"the same fixed work took before and after it ({words})."
        )
        evidence = {
            "time_after_over_before": {str(number): work for number, work in drifted.items()},
            "rounds": len(results.canaries) - 1,
            "threshold": MARGIN,
        }
        yield Caveat("round_drifted", Severity.WARNING, (), evidence, sentence)


def _change(work: str, ratio: float) -> str:
    return f"{work} {signed_percent(ratio - 1)}"


@rule
def drift_unknown(results: Results) -> Iterator[Caveat]:
    """Rounds without a good canary on both sides."""
    if not results.canaries:
        sentence = (
            "No fixed work was timed between the runs: nothing shows whether the machine drifted."
        )
        yield Caveat("drift_unknown", Severity.NOTE, (), {"canaries": 0}, sentence)
        return
    useless = _useless(results)
    if useless:
        numbers = [
            entry.number
            for entry in rounds(results.canaries)
            if {entry.number - 1, entry.number} & useless.keys()
        ]
        reasons = "; ".join(f"canary {index} {why}" for index, why in useless.items())
        sentence = (
            f"Whether the machine drifted is not known for {count(len(numbers), 'round')} of "
            f"{len(results.canaries) - 1} ({reasons})."
        )
        evidence = {"rounds": numbers, "reasons": {str(k): why for k, why in useless.items()}}
        yield Caveat("drift_unknown", Severity.NOTE, (), evidence, sentence)


def _useless(results: Results) -> dict[int, str]:
    """Canaries that tell nothing about these records, by index, with the reason."""
    machines = {record.machine.id for record in results.records}
    found = {}
    for index, canary in enumerate(results.canaries):
        if canary is None:
            found[index] = "was not measured"
        elif not canary.ok:
            found[index] = f"ended as {canary.status}: {canary.reason}"
        elif machines and canary.machine_id not in machines:
            found[index] = "was measured on another machine than the records"
    return found


@rule
def outside_of_canaries(results: Results) -> Iterator[Caveat]:
    """Runs measured at another time than the round whose canaries stand for them."""
    outside = {
        cell: numbers
        for cell in measured(results.rows)
        if (numbers := [r.number for r in cell.ok_runs if _is_outside(r, results.canaries)])
    }
    if outside:
        sentence = (
            "Measured before or after the canaries of their round, which tell nothing about the "
            f"machine at that time ({places(outside, lambda cell: _runs(outside[cell]))})."
        )
        evidence = {"runs": {label(cell): numbers for cell, numbers in outside.items()}}
        yield Caveat("outside_of_canaries", Severity.WARNING, tuple(outside), evidence, sentence)


def _runs(numbers: list[int]) -> str:
    return f"{'run' if len(numbers) == 1 else 'runs'} {listed(list(map(str, numbers)))}"


def _is_outside(run: Run, canaries: tuple[Canary | None, ...]) -> bool:
    """Before the canary before the round, or after the one after it; a missing one bounds
    nothing.
    """
    if not run.record or run.number >= len(canaries):
        return False
    before, after = canaries[run.number - 1], canaries[run.number]
    started, finished = map(datetime.fromisoformat, (run.record.started_at, run.record.finished_at))
    early = before is not None and started < before.finished_at
    return early or (after is not None and finished > after.started_at)
