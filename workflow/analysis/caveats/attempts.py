"""Runs that needed a second start."""

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
