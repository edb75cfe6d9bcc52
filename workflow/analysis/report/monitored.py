"""What the machine did during the timed steps of a cell, as lines of its details."""

from collections.abc import Iterable, Sequence

from analysis.formats.text import NA, count, listed
from analysis.results.machine import Monitor, Range
from analysis.results.record import Record

GPU_RANGES = (
    ("SM clock", "sm_clock_mhz", "MHz"),
    ("memory clock", "memory_clock_mhz", "MHz"),
    ("temperature", "temperature_c", "\u00b0C"),
    ("power", "power_w", "W"),
)


def monitored(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """Lines (name, reading) over all runs; a single line with NA where none was monitored."""
    found = [record.monitor for record in records if record.monitor]
    if not found:
        yield "Machine while timed", f"{NA}: no sample of the monitor fell into the timed steps"
        return
    yield "Machine while timed", "; ".join(_host(found))
    gpus = [monitor.gpu for monitor in found if monitor.gpu]
    if gpus:
        parts = [
            f"{name} {_span(readings)} {unit}"
            for name, key, unit in GPU_RANGES
            if (readings := [reading for gpu in gpus if (reading := getattr(gpu, key))])
        ]
        reasons = sorted({reason for gpu in gpus for reason in gpu.throttle_reasons})
        parts.append(f"slowed by {listed(reasons)}" if reasons else "nothing slowed its clocks")
        foreign = max(gpu.foreign_processes for gpu in gpus)
        yield "GPU while timed", "; ".join([*parts, count(foreign, "foreign process", "processes")])


def _host(found: Sequence[Monitor]) -> Iterable[str]:
    yield f"{count(sum(monitor.samples for monitor in found), 'sample')}"
    frequencies = [monitor.frequency_mhz for monitor in found if monitor.frequency_mhz]
    yield f"processors {_span(frequencies)} MHz" if frequencies else "frequency not reported"
    loads = [monitor.load_max for monitor in found if monitor.load_max is not None]
    if loads:
        yield f"load at most {max(loads):.2f}"
    events = [monitor.throttled for monitor in found if monitor.throttled is not None]
    yield count(sum(events), "throttling event") if events else "throttling not counted"
    swapped = [monitor.swapped_mib for monitor in found if monitor.swapped_mib is not None]
    if swapped:
        yield f"{max(swapped):,.0f} MiB swapped"


def _span(ranges: Sequence[Range]) -> str:
    """The lowest to the highest of some ranges."""
    low, high = min(r.min for r in ranges), max(r.max for r in ranges)
    return f"{low:,.0f}" if round(low) == round(high) else f"{low:,.0f} to {high:,.0f}"
