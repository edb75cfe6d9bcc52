"""What the monitor saw while steps were timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.caveats.thresholds import CLOCK_CHANGE, LOAD_WHILE_TIMED, SWAPPED_MIB
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.machine import Monitor, Range
from analysis.results.record import Record
from analysis.results.results import Results

CLOCKS: dict[str, Callable[[Monitor], Range | None]] = {
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
    "psutil, and nvidia-ml-py for a GPU, where the runs are measured.",
)
def not_monitored(results: Results) -> Iterator[Caveat]:
    """Runs without a monitor: what the machine did is not known."""
    missing = {
        cell: sum(record.monitor is None for record in cell.records)
        for cell in measured(results.rows)
    }
    cells = tuple(cell for cell, number in missing.items() if number)
    if cells:
        everything = sum(missing.values()) == len(results.records)
        where = "any run" if everything else f"some runs ({places(cells, rows=results.rows)})"
        sentence = (
            f"No reading of the machine was taken during the timed steps of {where}: throttling, "
            "clocks and other work on it are not known there."
        )
        evidence = {"runs": {label(cell): missing[cell] for cell in cells}}
        yield Caveat("not_monitored", Severity.NOTE, cells, evidence, sentence)


@rule(
    "Clocks were held down",
    "Heat, power or a limit slowed the machine while steps were timed.",
    Changes.TIMES,
    "Better cooling, a higher power limit, or fixed clocks.",
)
def throttled(results: Results) -> Iterator[Caveat]:
    """Clocks were limited: by heat, power, or a setting."""
    events = {cell: _throttling(cell) for cell in measured(results.rows)}
    slowed = {cell: reasons for cell, reasons in events.items() if reasons}
    if slowed:
        where = places(slowed, lambda cell: f"({', '.join(slowed[cell])})")
        sentence = f"The clocks were held down while steps were timed: {where}."
        evidence = {"seen": {label(cell): seen for cell, seen in slowed.items()}}
        yield Caveat("throttled", Severity.WARNING, tuple(slowed), evidence, sentence)


def _throttling(cell: Cell) -> list[str]:
    """Throttle events of the processors, and the GPU's reasons."""
    monitors = _monitors(cell)
    events = max((monitor.throttled or 0 for monitor in monitors), default=0)
    reasons = [why for monitor in monitors if monitor.gpu for why in monitor.gpu.throttle_reasons]
    processors = [f"up to {events} thermal events of the processors in a run"] if events else []
    return processors + list(dict.fromkeys(reasons))


@rule(
    "Clocks moved within a run",
    "Turbo and idle cores do that too; steady clocks give steadier times.",
    Changes.TIMES,
    "Fixed clocks.",
)
def clocks_changed(results: Results) -> Iterator[Caveat]:
    """Clocks changed within a run; turbo and idle cores do that too, so it is a note."""
    for what, clock in CLOCKS.items():
        changes = {cell: _change(cell, clock) for cell in measured(results.rows)}
        moved = {cell: change for cell, change in changes.items() if change > CLOCK_CHANGE}
        if moved:
            where = places(moved, lambda cell, moved=moved: percent(moved[cell]), moved.get)
            sentence = (
                f"The clock of the {what} moved by more than {percent(CLOCK_CHANGE)} of its "
                f"highest value while steps of a run were timed ({where})."
            )
            evidence = {
                "clock": what,
                "change": {label(cell): change for cell, change in moved.items()},
                "threshold": CLOCK_CHANGE,
            }
            title = f"The clock of the {what} moved within a run"
            yield Caveat("clocks_changed", Severity.NOTE, tuple(moved), evidence, sentence, title)


def _change(cell: Cell, clock: Callable[[Monitor], Range | None]) -> float:
    """The largest drop of a clock within a run, as a share of its highest value."""
    ranges = [found for monitor in _monitors(cell) if (found := clock(monitor))]
    return max((1 - found.min / found.max for found in ranges if found.max), default=0.0)


@rule(
    "Runs of a row at other clocks",
    "Part of a difference within such a row may come from the clocks.",
    Changes.ORDER,
    "Fixed clocks, or more rounds.",
)
def clocks_differ(results: Results) -> Iterator[Caveat]:
    """Runs of one row whose clocks were not the same: part of a difference may come from that."""
    for what, clock in CLOCKS.items():
        rows = {}
        for row in results.rows:
            medians = {cell: _medians(cell, clock) for cell in row.measured}
            found = [value for values in medians.values() for value in values]
            if found and min(found) < (1 - CLOCK_CHANGE) * max(found):
                rows[row] = {cell: values for cell, values in medians.items() if values}
        if rows:
            cells = tuple(cell for medians in rows.values() for cell in medians)
            spans = {cell: values for medians in rows.values() for cell, values in medians.items()}
            where = places(
                cells,
                lambda cell, spans=spans: _span(spans[cell]),
                lambda cell, spans=spans: -min(spans[cell]),
            )
            sentence = (
                f"The clock of the {what} was not the same for all runs of a row, by more than "
                f"{percent(CLOCK_CHANGE)}; medians of the runs in MHz: {where}."
            )
            evidence = {
                "clock": what,
                "median_mhz": {label(cell): values for cell, values in spans.items()},
                "threshold": CLOCK_CHANGE,
            }
            title = f"Runs of a row at other clocks of the {what}"
            yield Caveat("clocks_differ", Severity.WARNING, cells, evidence, sentence, title)


def _medians(cell: Cell, clock: Callable[[Monitor], Range | None]) -> list[float]:
    return [found.median for monitor in _monitors(cell) if (found := clock(monitor))]


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


@rule(
    "Swapping while steps were timed",
    "These times may include waiting for the disk.",
    Changes.TIMES,
    "Close other programs, or reduce batch size or scale.",
)
def swapped_while_timed(results: Results) -> Iterator[Caveat]:
    """The machine swapped between two fences, not only some time in the run."""
    swapped = _highest(results, lambda record: record.monitor.swapped_mib)
    swapped = {cell: amount for cell, amount in swapped.items() if amount >= SWAPPED_MIB}
    if swapped:
        where = places(swapped, lambda cell: f"{swapped[cell]:.0f} MiB", swapped.get)
        sentence = f"The machine swapped while steps were timed ({where})."
        evidence = {"highest": _by_label(swapped), "threshold": SWAPPED_MIB}
        yield Caveat("swapped_while_timed", Severity.WARNING, tuple(swapped), evidence, sentence)


@rule(
    "High load while steps were timed",
    "The load average was higher than one run explains.",
    Changes.TIMES,
    "Close other programs.",
)
def busy_while_timed(results: Results) -> Iterator[Caveat]:
    """A load average that the run's own threads do not explain."""
    loads = _highest(results, _load_per_core)
    busy = {cell: load for cell, load in loads.items() if load > LOAD_WHILE_TIMED}
    if busy:
        where = places(busy, lambda cell: f"{busy[cell]:.2f}", busy.get)
        sentence = (
            f"The one-minute load average was above {LOAD_WHILE_TIMED:g} per core while steps were "
            f"timed ({where}); the run's own threads are part of it."
        )
        evidence = {"highest": _by_label(busy), "threshold": LOAD_WHILE_TIMED}
        yield Caveat("busy_while_timed", Severity.NOTE, tuple(busy), evidence, sentence)


def _load_per_core(record: Record) -> float | None:
    load = record.monitor.load_max
    return None if load is None else load / record.machine.cores


@rule(
    "Other processes on the GPU",
    "These times are of a shared GPU: greyed, and not compared.",
    Changes.ORDER,
    "Free the GPU, remove these records and start again.",
)
def device_shared(results: Results) -> Iterator[Caveat]:
    """Another process computed on the same GPU."""
    foreign = _highest(
        results, lambda record: record.monitor.gpu and record.monitor.gpu.foreign_processes
    )
    shared = {cell: number for cell, number in foreign.items() if number > 0}
    if shared:
        where = places(shared, lambda cell: str(shared[cell]), shared.get)
        sentence = (
            "Other compute processes were on the GPU while steps were timed; most at once: "
            f"{where}."
        )
        yield Caveat(
            "device_shared", Severity.CRITICAL, tuple(shared), {"most": _by_label(shared)}, sentence
        )


def _highest(results: Results, reading: Callable[[Record], float | None]) -> dict[Cell, float]:
    """The highest reading among the monitored runs of each cell that has one."""
    found = {}
    for cell in measured(results.rows):
        values = [reading(record) for record in cell.records if record.monitor]
        known = [value for value in values if value is not None]
        if known:
            found[cell] = max(known)
    return found


def _by_label(values: dict[Cell, float]) -> dict[str, float]:
    return {label(cell): value for cell, value in values.items()}
