"""From how many parameters on the GPU is faster, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.cross_over import Sweep, sweeps
from analysis.results.results import Results
from analysis.statistics.cross_over import ABOVE, BELOW
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("base", "new", "net", "task", "batch_size", "sizes", "smallest", "largest", "outcome")
HEADER += ("parameters", "ci95_low", "ci95_high", "times_crossed", "missing")
OUTSIDE = {BELOW: "below", ABOVE: "above"}  # the measured sizes


def cross_over_csv(results: Results) -> str:
    """One line per framework, net, task and batch size that is planned in several sizes on both
    devices. Sizes are in parameters, and are those that both devices measured; an end of the
    interval may be 'below' or 'above' them all. NA without two sizes, the interval without two
    runs of each.
    """
    return csv_of(HEADER, ([value_text(entry) for entry in line] for line in _lines(results)))


def _lines(results: Results) -> Iterable[tuple]:
    for sweep in sweeps(results):
        names = (sweep.pair.base.name, sweep.pair.new.name)
        yield (
            *names,
            sweep.net,
            sweep.task,
            sweep.batch_size,
            *_found(sweep),
            sweep.missing or None,
        )


def _found(sweep: Sweep) -> tuple:
    sizes, found = [size.parameters for size in sweep.compared], sweep.found
    if found is None:
        return (len(sizes), *[None] * 7)
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return (
        *(len(sizes), sizes[0], sizes[-1], sweep.outcome),
        *(_number(end) for end in (found.size if found.in_range else None, *ends)),
        found.times,
    )


def _number(size: float | None) -> int | str | None:
    return None if size is None else OUTSIDE.get(size) or round(size)
