"""What the monitor saw while steps were timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.caveats.causes import NOISE, UNTESTED
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    frame_rule,
    label,
    measured,
    places,
    rule,
    where_and_how_much,
)
from analysis.caveats.readings import each, worst
from analysis.caveats.thresholds import CLOCK_CHANGE
from analysis.data import Data
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.machine import Monitor, Range
from analysis.results.results import Results
from analysis.results.runs import Run

Clock = Callable[[Monitor], Range | None]
CLOCKS: dict[str, Clock] = {
    "processors": lambda monitor: monitor.frequency_mhz,
    "GPU": lambda monitor: monitor.gpu and monitor.gpu.sm_clock_mhz,
    "GPU memory": lambda monitor: monitor.gpu and monitor.gpu.memory_clock_mhz,
}


def _monitors(cell: Cell) -> list[Monitor]:
    return [record.monitor for record in cell.records if record.monitor]


@rule(
    "Runs without a monitor",
    "Throttling, clocks and other work on the machine are not known there.",
    Changes.UNTESTED,
    "Install psutil, and nvidia-ml-py for a GPU, where the runs are measured.",
    UNTESTED,
)
def not_monitored(results: Results) -> Iterator[Caveat]:
    """Runs without a monitor: what the machine did is not known."""
    missing = {
        cell: number
        for cell in measured(results.rows)
        if (number := sum(record.monitor is None for record in cell.records))
    }
    if missing:
        everything = sum(missing.values()) == len(results.records)
        where = "any run" if everything else f"some runs ({places(missing, rows=results.rows)})"
        sentence = (
            f"No reading of the machine was taken during the timed steps of {where}: throttling, "
            "clocks and other work on it are not known there."
        )
        evidence = {"runs": {label(cell): number for cell, number in missing.items()}}
        yield Caveat("not_monitored", Severity.NOTE, tuple(missing), evidence, sentence)


@rule(
    "Clocks were held down",
    "Heat, power or a limit slowed the machine while steps were timed.",
    Changes.TIMES,
    "Cool the machine better, raise its power limit, or fix the clocks.",
    NOISE,
)
def throttled(results: Results) -> Iterator[Caveat]:
    """Clocks were limited: by heat, power, or a setting."""
    seen = {cell: found for cell in measured(results.rows) if (found := _throttling(cell))}
    yield from where_and_how_much(
        "throttled",
        seen,
        "The clocks were held down while steps were timed: {where}.",
        lambda reasons: f"({', '.join(reasons)})",
    )


def _throttling(cell: Cell) -> list[str]:
    """Throttle events of the processors, and the GPU's reasons."""
    monitors = _monitors(cell)
    events = max((monitor.throttled or 0 for monitor in monitors), default=0)
    reasons = [why for monitor in monitors if monitor.gpu for why in monitor.gpu.throttle_reasons]
    processors = [f"up to {events} thermal events of the processors in a run"] if events else []
    return processors + list(dict.fromkeys(reasons))


@frame_rule(
    "Clocks moved within a run",
    "Turbo and idle cores do that too; steady clocks give steadier times.",
    Changes.TIMES,
    "Fix the clocks.",
    NOISE,
)
def clocks_changed(data: Data) -> Iterator[Caveat]:
    """Clocks changed within a run; turbo and idle cores do that too, so it is a note."""
    for what, clock in CLOCKS.items():
        yield from where_and_how_much(
            "clocks_changed",
            worst(data, each(data, _drop_of(clock)), lambda drop: drop > CLOCK_CHANGE),
            f"The clock of the {what} moved by more than {percent(CLOCK_CHANGE)} of its highest "
            "value while steps of a run were timed ({where}).",
            percent,
            severity=Severity.NOTE,
            clock=what,
            threshold=CLOCK_CHANGE,
        )


def _drop_of(clock: Clock) -> Callable[[Run], float | None]:
    """Return what a run's lowest clock lacks of its highest, as a share of it."""

    def drop(run: Run) -> float | None:
        monitor = run.record.monitor if run.record else None
        found = clock(monitor) if monitor else None
        return 1 - found.min / found.max if found and found.max else None

    return drop


@rule(
    "Runs of a row had different clocks",
    "Part of a difference within such a row may come from the clocks.",
    Changes.ORDER,
    "Fix the clocks, or add rounds.",
    NOISE,
)
def clocks_differ(results: Results) -> Iterator[Caveat]:
    """Runs of one row had different clocks: part of a difference may come from that."""
    for what, clock in CLOCKS.items():
        found: dict[Cell, list[float]] = {}
        for row in results.rows:
            medians = {cell: each for cell in row.measured if (each := _medians(cell, clock))}
            values = [value for each in medians.values() for value in each]
            if values and min(values) < (1 - CLOCK_CHANGE) * max(values):
                found |= medians
        yield from where_and_how_much(
            "clocks_differ",
            found,
            f"The clock of the {what} differed between runs of a row, by more than "
            f"{percent(CLOCK_CHANGE)}; medians of the runs in MHz: {{where}}.",
            _span,
            size=lambda values: -min(values),
            clock=what,
            threshold=CLOCK_CHANGE,
        )


def _medians(cell: Cell, clock: Clock) -> list[float]:
    return [found.median for monitor in _monitors(cell) if (found := clock(monitor))]


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"
