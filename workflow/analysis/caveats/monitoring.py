"""What the monitor saw while steps were timed: other work, and clocks."""

from collections.abc import Callable, Iterator

from analysis.caveats.core import Found, Severity, labelled, measured, rule, where_and_how_much
from analysis.caveats.readings import column, each, extreme
from analysis.caveats.thresholds import CLOCK_CHANGE, FOREIGN_CPU_SHARE
from analysis.data import Data
from analysis.formats.text import percent, spread
from analysis.results.cells import Cell
from analysis.results.machine import Monitor, Range
from analysis.results.profiles import FOREIGN_CPU_HEAVY
from analysis.results.runs import Run

Clock = Callable[[Monitor], Range | None]
CLOCKS: dict[str, Clock] = {
    "processors": lambda monitor: monitor.frequency_mhz,
    "GPU": lambda monitor: monitor.gpu and monitor.gpu.sm_clock_mhz,
    "GPU memory": lambda monitor: monitor.gpu and monitor.gpu.memory_clock_mhz,
}


@rule
def foreign_load(data: Data) -> Iterator[Found]:
    """Other processes worked during the timed steps; from FOREIGN_CPU_HEAVY on a number tells
    nothing.
    """
    shares = extreme(
        data,
        lambda runs: column(runs, "load.foreign_cpu_share"),
        "max",
        lambda share: share >= FOREIGN_CPU_SHARE,
    )
    heavy = {cell: share for cell, share in shares.items() if share >= FOREIGN_CPU_HEAVY}
    light = {cell: share for cell, share in shares.items() if cell not in heavy}
    for found, severity in ((heavy, Severity.CRITICAL), (light, Severity.WARNING)):
        yield from where_and_how_much(
            found, percent, severity=severity, threshold=FOREIGN_CPU_SHARE
        )


def _monitors(cell: Cell) -> list[Monitor]:
    return [record.monitor for record in cell.records if record.monitor]


@rule
def not_monitored(data: Data) -> Iterator[Found]:
    """Runs without a monitor: what the machine did is not known."""
    missing = {
        cell: number
        for cell in measured(data.results.rows)
        if (number := len(cell.records) - len(_monitors(cell)))
    }
    everything = sum(missing.values()) == len(data.results.records)
    yield Found(missing, {"runs": labelled(missing)}, {"all": everything})


@rule
def throttled(data: Data) -> Iterator[Found]:
    """Clocks were limited: by heat, power, or a setting."""
    cells = measured(data.results.rows)
    seen = {cell: found for cell in cells if (found := _throttling(cell))}
    yield from where_and_how_much(seen, lambda reasons: f"({', '.join(reasons)})")


def _throttling(cell: Cell) -> list[str]:
    """Throttle events of the processors, and the GPU's reasons."""
    monitors = _monitors(cell)
    events = max((monitor.throttled or 0 for monitor in monitors), default=0)
    reasons = [why for monitor in monitors if monitor.gpu for why in monitor.gpu.throttle_reasons]
    processors = [f"up to {events} thermal events of the processors in a run"] if events else []
    return processors + list(dict.fromkeys(reasons))


@rule
def clocks_changed(data: Data) -> Iterator[Found]:
    """Clocks changed within a run; turbo and idle cores do that too, so it is a note."""
    for what, clock in CLOCKS.items():
        drops = each(data, _drop_of(clock))
        found = extreme(data, drops, "max", lambda drop: drop > CLOCK_CHANGE)
        yield from where_and_how_much(found, percent, clock=what, threshold=CLOCK_CHANGE)


def _drop_of(clock: Clock) -> Callable[[Run], float | None]:
    """Return what a run's lowest clock lacks of its highest, as a share of it."""

    def drop(run: Run) -> float | None:
        monitor = run.record.monitor if run.record else None
        found = clock(monitor) if monitor else None
        return 1 - found.min / found.max if found and found.max else None

    return drop


@rule
def clocks_differ(data: Data) -> Iterator[Found]:
    """Runs of one row had different clocks: part of a difference may come from that."""
    for what, clock in CLOCKS.items():
        found: dict[Cell, list[float]] = {}
        for row in data.results.rows:
            medians = {cell: each for cell in row.measured if (each := _medians(cell, clock))}
            values = [value for each in medians.values() for value in each]
            if values and min(values) < (1 - CLOCK_CHANGE) * max(values):
                found |= medians
        yield from where_and_how_much(
            found,
            lambda values: spread(values, "{:.0f}".format),
            size=lambda values: -min(values),
            clock=what,
            threshold=CLOCK_CHANGE,
        )


def _medians(cell: Cell, clock: Clock) -> list[float]:
    return [found.median for monitor in _monitors(cell) if (found := clock(monitor))]
