"""What the monitor saw while steps were timed: other work, clocks and energy; and what looking at
every step changes.
"""

from collections.abc import Iterator

from analysis.caveats.core import (
    Found,
    Severity,
    comparable,
    found_in,
    labelled,
    measured,
    rule,
    where_and_how_much,
)
from analysis.caveats.limits import of_cells, reading
from analysis.caveats.thresholds import CLOCK_CHANGE, FOREIGN_CPU_SHARE, OBSERVER_EFFECT
from analysis.comparisons.observer import border_share, observed_longer, observer_ratio
from analysis.data import ROW, Data
from analysis.formats.text import listed, percent, spread, times
from analysis.results.cells import Cell
from analysis.results.record import Record
from contract.disturbance import FOREIGN_CPU_HEAVY

CLOCKS = {  # columns of the table of runs
    "processors": "monitor.frequency_mhz",
    "GPU": "monitor.gpu.sm_clock_mhz",
    "GPU memory": "monitor.gpu.memory_clock_mhz",
}


@rule
def foreign_load(data: Data) -> Iterator[Found]:
    """Other processes worked during the timed steps; from FOREIGN_CPU_HEAVY on a number tells
    nothing.
    """
    every = reading(data, "load.foreign_cpu_share")
    found = of_cells(data, every, "max", lambda of: of >= FOREIGN_CPU_SHARE)
    heavy = {cell: share for cell, share in found.items() if share >= FOREIGN_CPU_HEAVY}
    light = {cell: share for cell, share in found.items() if share < FOREIGN_CPU_HEAVY}
    for shares, severity in ((heavy, Severity.CRITICAL), (light, Severity.WARNING)):
        yield from where_and_how_much(
            shares, percent, severity=severity, threshold=FOREIGN_CPU_SHARE
        )


@rule
def not_monitored(data: Data) -> Iterator[Found]:
    """Runs without a sample while steps were timed: what the machine did then is not known."""
    cells = measured(data.results.rows)
    missing = found_in(cells, lambda cell: sum(map(_not_sampled, cell.records)))
    everything = sum(missing.values()) == len(data.results.records)
    yield Found(missing, {"runs": labelled(missing)}, {"all": everything})


def _not_sampled(record: Record) -> bool:
    return not (record.monitor and record.monitor.samples)


@rule
def throttled(data: Data) -> Iterator[Found]:
    """Clocks were limited: by heat, power, or a setting."""
    seen = found_in(measured(data.results.rows), _throttling)
    yield from where_and_how_much(seen, lambda reasons: f"({', '.join(reasons)})")


def _throttling(cell: Cell) -> list[str]:
    """Throttle events of the processors, and the GPU's reasons."""
    monitors = [record.monitor for record in cell.records if record.monitor]
    events = max((monitor.throttled or 0 for monitor in monitors), default=0)
    gpus = [monitor.gpu for monitor in monitors if monitor.gpu]
    reasons = [why for gpu in gpus for why in gpu.throttle_reasons or ()]
    processors = [f"up to {events} thermal events of the processors in a run"] if events else []
    return processors + list(dict.fromkeys(reasons))


@rule
def clocks_changed(data: Data) -> Iterator[Found]:
    """Clocks changed within a run; turbo and idle cores do that too, so it is a note."""
    for what, clock in CLOCKS.items():
        drop = 1 - reading(data, f"{clock}.min / {clock}.max")
        found = of_cells(data, drop, "max", lambda of: of > CLOCK_CHANGE)
        yield from where_and_how_much(found, percent, clock=what, threshold=CLOCK_CHANGE)


@rule
def clocks_differ(data: Data) -> Iterator[Found]:
    """Runs of one row had different clocks: part of a difference may come from that."""
    for what, clock in CLOCKS.items():
        medians = reading(data, f"{clock}.median").dropna()
        of_rows = medians.groupby([data.ok_runs.loc[medians.index, name] for name in ROW])
        apart = of_rows.transform("min") < (1 - CLOCK_CHANGE) * of_rows.transform("max")
        yield from where_and_how_much(
            of_cells(data, medians[apart], list, lambda of: of.notna()),
            lambda values: spread(values, "{:.0f}".format),
            size=lambda values: -min(values),
            clock=what,
            threshold=CLOCK_CHANGE,
        )


@rule
def observer_effect(data: Data) -> Iterator[Found]:
    """Steps with a fence after each take longer than steps in a row, which end with one, too."""
    ratios = found_in(comparable(data.results.rows), observer_ratio)
    longer = observed_longer(ratios)
    changed = {c: r for c, r in ratios.items() if r > 1 + OBSERVER_EFFECT and c in longer}
    border = max((border_share(cell) or 0.0 for cell in changed), default=0.0)
    yield from where_and_how_much(changed, times, threshold=OBSERVER_EFFECT, border=border)


@rule
def energy_counters_differ(data: Data) -> Iterator[Found]:
    """A GPU's counter and the processors' count different things."""
    for row in data.results.rows:
        counters = found_in(
            row.measured, lambda cell: sorted({r.energy.counter for r in cell.records if r.energy})
        )
        if len({name for found in counters.values() for name in found}) > 1:
            yield from where_and_how_much(counters, listed)
