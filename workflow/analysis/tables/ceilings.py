"""What a faster host language could bring, as far as profiles tell, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.ceilings import Ceiling, ceilings
from analysis.results.results import Results
from analysis.statistics.intervals import Interval
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("model", "task", "batch_size", "column", "runs", "share", "ci95_low", "ci95_high")
HEADER += ("ceiling", "ceiling_low", "ceiling_high")
HEADER += ("profiler_slowdown", "slowdown_low", "slowdown_high")


def ceilings_csv(results: Results) -> str:
    """One line per profiled cell that may be compared. `share` is an estimate of that of a step in
    which nothing computes, with a 95 % interval over runs that includes where the profiler's own
    time may lie; a ceiling is 1 / (1 - share), inf where nothing computes at all. The slowdown is
    a step under the profiler over one beside it without.
    """
    return csv_of(HEADER, (list(map(value_text, _line(found))) for found in ceilings(results)))


def _line(found: Ceiling) -> Iterable[str | float | int | None]:
    cost = found.cost
    return (
        *(*found.row.row.key, found.cell.column.name, found.runs),
        *(found.share, *_ends(found.interval)),
        *(found.gain, *_ends(found.gain_interval)),
        *((cost.value, *_ends(cost.interval)) if cost else (None, None, None)),
    )


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)
