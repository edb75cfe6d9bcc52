"""The most that a faster host language could bring, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.ceilings import Ceiling, ceilings
from analysis.results.results import Results
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("model", "task", "batch_size", "column", "runs", "share", "ci95_low", "ci95_high")
HEADER += ("ceiling", "profiler_slowdown", "share_of_timed_step", "ceiling_of_timed_step")


def ceilings_csv(results: Results) -> str:
    """One line per profiled cell that nothing disturbed. `share` is that of a profiled step in
    which nothing computes, with a 95 % interval over runs; a ceiling is 1 / (1 - share), inf where
    nothing computes at all.
    """
    return csv_of(HEADER, (list(map(value_text, _line(found))) for found in ceilings(results)))


def _line(found: Ceiling) -> Iterable[str | float | int | None]:
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return (
        *(*found.row.row.key, found.cell.column.name, found.runs, found.share, *ends),
        *(found.most, found.slower, found.timed_share, found.most_timed),
    )
