"""Everything about one cell: where each of its numbers comes from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.caveats.groups import Group
from analysis.comparisons.observer import observer_ratio
from analysis.data import CellKey, cell_key
from analysis.formats.text import (
    NA,
    anchor,
    count,
    interval_ms,
    listed,
    ms,
    percent,
)
from analysis.report.parity import card_of
from analysis.results.cells import Cell
from analysis.results.machine import Monitor, Range
from analysis.results.plan import Column, Row
from analysis.results.record import Record
from analysis.results.rows import RowCells
from analysis.topics import Detail
from analysis.writing.grid import Grid

APPENDIX = "appendix.html"  # beside the report: the details of every cell
MOST_WARNINGS = 20  # the records have them all
GPU_RANGES = (
    ("SM clock", "sm_clock_mhz", "MHz"),
    ("memory clock", "memory_clock_mhz", "MHz"),
    ("temperature", "temperature_c", "\u00b0C"),
    ("power", "power_w", "W"),
)


def cell_anchor(row: Row, column: Column) -> str:
    """The id of a cell's details: 'cell-bert-fit-b8-keras3.2d.jax'."""
    return anchor("cell", row.model, row.task, f"b{row.batch_size}", column.name)


def cell_address(row: Row, column: Column) -> str:
    """The address of a cell's details, as a link in the report has it."""
    return f"{APPENDIX}#{cell_anchor(row, column)}"


@dataclass(frozen=True)
class OfTopics:
    """Details of cells that topics add: facts (terms and texts), and tables."""

    facts: Mapping[CellKey, Sequence[tuple[str, str]]]
    details: Mapping[CellKey, Sequence[Detail]]


def cell_views(
    row: RowCells,
    runs: Mapping[CellKey, Grid],
    environments: dict[tuple, Any],
    marks: Callable[[Cell], Sequence[Group]],
    of_topics: OfTopics,
) -> list[dict[str, Any]]:
    """The values that the template shows of a row's cells; `marks` gives the caveats of a cell."""
    return [
        {
            "anchor": cell_anchor(cell.row, cell.column),
            "title": cell.column.title,
            "summary": _summary(cell),
            "facts": [*_facts(cell, row, of_topics)] if cell.ok_runs else [],
            "card": card_of(cell),
            "runs": runs.get(cell_key(cell)),
            "details": of_topics.details.get(cell_key(cell), ()),
            "warnings": _warnings([run.record for run in cell.runs if run.record]),
            "log_tail": next((r.record.log_tail for r in cell.runs if r.record and not r.ok), ()),
            # address, name
            "environments": list(
                dict.fromkeys(environments[r.environment.found] for r in cell.records)
            ),
            "caveats": marks(cell),
            "records": [run.path for run in cell.runs if run.record],
        }
        for cell in row.cells
    ]


def _summary(cell: Cell) -> str:
    if not cell.ok_runs:
        return f"{cell.status}: {cell.reason}"
    ends = interval_ms(cell.step_ms, cell.interval) if cell.interval else None
    shown = f" [{ends[0]}, {ends[1]}]" if ends else ""
    return f"{ms(cell.step_ms)} ms/step{shown}"


def _facts(cell: Cell, row: RowCells, of_topics: OfTopics) -> Iterable[tuple[str, str]]:
    disturbed = f": {cell.disturbed}" if cell.disturbed else ""
    yield "In its row", f"{row.standings[cell.column.name]}{disturbed}"
    if cell.plain_interval:
        low, high = interval_ms(cell.step_ms, cell.plain_interval)
        yield "Interval by its own runs alone", f"[{low}, {high}] ms"
    records = cell.records
    yield "Runs", f"{len(records)} of {len(cell.runs)} with a time"
    yield "Steady state", str(cell.steadiness.state)
    if ratio := observer_ratio(cell):
        against = f"{percent(ratio - 1, signed=True)} against pipelined"
        yield "Step with a fence after it", f"{ms(ratio * cell.step_ms)} ms, {against}"
    first = cell.runs[0]
    if first.number == 1 and not first.ok:
        lacks = "published arithmetic and other batch sizes"
        yield "Measured in run 1 alone", f"{NA}: {lacks}, {first.status}"
    yield from _counters(records)
    yield from of_topics.facts.get(cell_key(cell), ())
    yield from _monitored(records)
    yield from _work(cell)
    reasons = {
        "Started a second time": (r.restarted for r in records if r.restarted),
        "Could not be recorded": (reason for r in records for reason in r.withheld),
        "Not timed at other sizes or lengths": (why for r in records for why in r.probe_failures),
    }
    for term, found in reasons.items():
        if different := list(dict.fromkeys(found)):
            yield term, listed(different)


def _counters(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """What counted the device memory and the energy that the row's breakdown tells of."""
    found = {
        "Peak device memory counts": (record.memory.peak_device_counts for record in records),
        "Energy counted by": (record.energy.counter for record in records if record.energy),
    }
    for term, names in found.items():
        if different := sorted({name for name in names if name}):
            yield term, listed(different)


def _monitored(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """What the machine did during the timed steps of all runs; NA where none was monitored."""
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
        told = [gpu.throttle_reasons for gpu in gpus if gpu.throttle_reasons is not None]
        reasons = sorted({reason for of in told for reason in of})
        if told:
            parts.append(f"slowed by {listed(reasons)}" if reasons else "nothing slowed its clocks")
        counts = [gpu.foreign_processes for gpu in gpus if gpu.foreign_processes is not None]
        if counts:
            parts.append(count(max(counts), "foreign process", "processes"))
        yield "GPU while timed", "; ".join(parts)


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


def _work(cell: Cell) -> Iterable[tuple[str, str]]:
    work = next((record.work for record in cell.records if record.work), None)
    if work is None:
        return
    trained = f", {work.trainable_parameters:,} trained" if cell.row.task == "fit" else ""
    yield "Work", f"{work.parameters:,} parameters{trained}"
    if work.flops_per_step:
        rate = work.flops_per_step / (cell.step_ms / 1e3)
        yield "Arithmetic", f"{work.flops_per_step:.3g} FLOPs per step, {rate / 1e9:,.1f} GFLOP/s"


def _warnings(records: Sequence[Record]) -> tuple[str, ...]:
    found = list(dict.fromkeys(text for record in records for text in record.warnings))
    more = len(found) - MOST_WARNINGS
    last = [f"and {count(more, 'more warning')} in the records"] if more > 0 else []
    return (*found[:MOST_WARNINGS], *last)
