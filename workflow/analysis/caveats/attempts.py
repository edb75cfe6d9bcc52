"""Runs that needed a second start, or were timed for longer than planned."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.formats.text import count
from analysis.results.results import Results


@rule(
    "Processes started a second time",
    "The first start gave no usable steps; the second one counts.",
    Changes.UNTESTED,
)
def restarted_runs(results: Results) -> Iterator[Caveat]:
    """The measuring process was started a second time."""
    reasons = {
        cell: [record.restarted for record in cell.records if record.restarted]
        for cell in measured(results.rows)
    }
    restarted = {cell: found for cell, found in reasons.items() if found}
    if restarted:
        where = places(
            restarted,
            lambda cell: (
                f"{count(len(restarted[cell]), 'run')}, "
                + "; ".join(dict.fromkeys(restarted[cell]))
            ),
        )
        sentence = f"The measuring process was started a second time ({where})."
        evidence = {"reasons": {label(cell): found for cell, found in restarted.items()}}
        yield Caveat("restarted_runs", Severity.NOTE, tuple(restarted), evidence, sentence)


@rule(
    "Runs timed twice as long",
    "Their steps were not steady at first.",
    Changes.UNTESTED,
)
def extended_runs(results: Results) -> Iterator[Caveat]:
    """The steps were not steady at first and were timed as long again."""
    numbers = {
        cell: sum(record.timing.extended for record in cell.records)
        for cell in measured(results.rows)
    }
    extended = {cell: number for cell, number in numbers.items() if number}
    if extended:
        where = places(extended, lambda cell: count(extended[cell], "run"), extended.get)
        sentence = f"Timed twice as long, since the steps were not steady at first ({where})."
        evidence = {"runs": {label(cell): number for cell, number in extended.items()}}
        yield Caveat("extended_runs", Severity.NOTE, tuple(extended), evidence, sentence)
