"""After how many steps the time until then is the same in two columns of a row, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.break_even import BreakEven, break_evens
from analysis.results.results import Results
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("model", "task", "batch_size", "faster", "slower", "caches", "counted_from")
HEADER += ("steps", "ci95_low_steps", "ci95_high_steps")
READINGS = {"first step": False, "process start": True}


def break_even_csv(results: Results) -> str:
    """A line per pair of columns of a row, reading of start-up and what was on disk at the start:
    cold, warm, NA where neither column keeps anything there.

    The steps are NA where such a start was not measured. The high end is NA where the runs do not
    show that it ever happens, both without an interval.
    """
    return csv_of(HEADER, _lines(results))


def _lines(results: Results) -> Iterable[list[str]]:
    for row in results.rows:
        for reading, from_process_start in READINGS.items():
            for found in break_evens(row, from_process_start):
                yield [value_text(entry) for entry in (*row.row.key, *_entries(reading, found))]


def _entries(reading: str, found: BreakEven) -> tuple[str | int | None, ...]:
    names = (found.faster.column.name, found.slower.column.name)
    return (*names, found.caches, reading, found.steps, found.earliest, found.latest)
