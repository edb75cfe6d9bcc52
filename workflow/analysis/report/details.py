"""Everything about one cell: where each of its numbers comes from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from analysis.comparisons.observer import observer_ratio
from analysis.data import CellKey, cell_key
from analysis.formats.text import (
    NA,
    count,
    interval_ms,
    listed,
    mib,
    ms,
    percent,
    seconds,
    signed_percent,
)
from analysis.report.anchors import cell_anchor
from analysis.report.monitored import monitored
from analysis.report.parity import card_of
from analysis.results.cells import Cell
from analysis.results.record import Record
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.best_set import Standing
from analysis.tables.html import Mark
from analysis.topics import Detail
from analysis.writing.grid import Grid

PHASES = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s", "other_s")
MOST_WARNINGS = 20  # the records have them all


@dataclass(frozen=True)
class OfTopics:
    """What topics tell of cells: terms and texts, and tables."""

    facts: Mapping[CellKey, Sequence[tuple[str, str]]]
    details: Mapping[CellKey, Sequence[Detail]]


def cell_views(
    row: RowCells,
    places: dict[str, int],
    environments: dict[tuple, Any],
    marks: Callable[[Cell], Sequence[Mark]],
    of_topics: OfTopics,
) -> list[dict[str, Any]]:
    """What the template shows of each cell of a row; `places` is the realised order of all runs, by
    the path of the record, `marks` are the caveats that touch a cell.
    """
    return [
        _view(
            cell, row.standings.get(cell.column.name), places, environments, marks(cell), of_topics
        )
        for cell in row.cells
    ]


def _view(
    cell: Cell,
    standing: Standing | None,
    places: dict[str, int],
    environments: dict[tuple, Any],
    marks: Sequence[Mark],
    of_topics: OfTopics,
) -> dict[str, Any]:
    found = [run.record for run in cell.runs if run.record]
    used = dict.fromkeys(
        environments[record.environment.found] for record in cell.records if record.environment
    )
    failed = next((run.record for run in cell.runs if run.record and not run.ok), None)
    ranking = [*_ranking(cell, standing), *_facts(cell, of_topics)] if cell.ok_runs else []
    return {
        "anchor": cell_anchor(cell.row, cell.column),
        "title": cell.column.title,
        "summary": _summary(cell),
        "facts": ranking,
        "card": card_of(cell),
        "runs": _runs(cell, places),
        "details": of_topics.details.get(cell_key(cell), ()),
        "warnings": _warnings(found),
        "log_tail": failed.log_tail if failed else (),
        "environments": list(used),  # address, name
        "caveats": marks,
        "records": [run.path for run in cell.runs if run.record],
    }


def _summary(cell: Cell) -> str:
    if not cell.ok_runs:
        return f"{cell.status}: {cell.reason}"
    ends = interval_ms(cell.step_ms, cell.interval) if cell.interval else None
    shown = f" [{ends[0]}, {ends[1]}]" if ends else ""
    return f"{ms(cell.step_ms)} ms/step{shown}"


def _ranking(cell: Cell, standing: Standing) -> Iterable[tuple[str, str]]:
    yield "In its row", str(standing) + (f": {cell.disturbed}" if cell.disturbed else "")
    if cell.plain_interval:
        low, high = interval_ms(cell.step_ms, cell.plain_interval)
        yield "Interval by its own runs alone", f"[{low}, {high}] ms"


def _facts(cell: Cell, of_topics: OfTopics) -> Iterable[tuple[str, str]]:
    records = cell.records
    yield "Runs", f"{len(records)} of {len(cell.runs)} with a time"
    yield "Steady state", str(cell.steadiness.state)
    fenced = [run.synchronised_ms for run in cell.ok_runs if run.synchronised_ms]
    if fenced:
        yield "Step with a fence after it", f"{ms(fmean(fenced))} ms, {_observer(cell)}"
    first = cell.runs[0]
    if first.number == 1 and not first.ok:
        lacks = "published arithmetic and other batch sizes"
        yield "Measured in run 1 alone", f"{NA}: {lacks}, {first.status}"
    yield from _resources(records)
    yield from of_topics.facts.get(cell_key(cell), ())
    yield from monitored(records)
    yield from _work(cell)
    again = sorted({record.restarted for record in records if record.restarted})
    if again:
        yield "Started a second time", listed(again)
    withheld = dict.fromkeys(reason for record in records for reason in record.withheld)
    if withheld:
        yield "Could not be recorded", listed(list(withheld))
    failures = dict.fromkeys(reason for record in records for reason in record.probe_failures)
    if failures:
        yield "Not timed at other sizes or lengths", listed(list(failures))


def _observer(cell: Cell) -> str:
    ratio = observer_ratio(cell)
    return f"{signed_percent(ratio - 1)} against pipelined" if ratio else NA


def _resources(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    yield "Peak memory", _peak([record.memory.peak_rss_mib for record in records])
    counts = sorted({r.memory.peak_device_counts for r in records if r.memory.peak_device_counts})
    counted = f": {listed(counts)}" if counts else ""
    yield (
        "Peak device memory",
        _peak([record.memory.peak_device_mib for record in records]) + counted,
    )
    driver = [record.driver_device_mib for record in records]
    if any(driver):
        yield "Device memory by the driver", f"{_peak(driver)}: all that the process held"
    joules = [record.energy for record in records if record.energy]
    if joules:
        mean = fmean(energy.joules_per_step for energy in joules)
        yield "Energy", f"{mean:.3g} J/step, by {listed(sorted({e.counter for e in joules}))}"
    else:
        yield "Energy", f"{NA}: the device has no counter that was read"


def _peak(found: Sequence[float | None]) -> str:
    known = [value for value in found if value is not None]
    return f"{mib(max(known))} MiB" if known else NA


def _work(cell: Cell) -> Iterable[tuple[str, str]]:
    work = next((record.work for record in cell.records if record.work), None)
    if work is None:
        return
    trained = f"{work.parameters:,} parameters, {work.trainable_parameters:,} trained"
    yield "Work", trained
    if work.flops_per_step:
        rate = work.flops_per_step / (cell.step_ms / 1e3)
        yield "Arithmetic", f"{work.flops_per_step:.3g} FLOPs per step, {rate / 1e9:,.1f} GFLOP/s"


RUN_HEADER = ("Run", "Measured as", "Status", "ms/step", "Fenced", "Published", "Steps", "Stop")
RUN_HEADER += ("Caches",)
RUN_HEADER += ("Import, s", "Build", "First step", "Warm-up", "Timed", "Other", "Total")
RUN_HEADER += ("Host, MiB", "Device, MiB", "Load before", "Foreign CPU")


def _runs(cell: Cell, places: dict[str, int]) -> Grid:
    lines = tuple(_run(run, places) for run in cell.runs)
    caption = "Every run: ms by three clocks, seconds of each phase, memory, and what else ran"
    return Grid(caption, RUN_HEADER, lines)


def _run(run: Run, places: dict[str, int]) -> tuple[str, ...]:
    record = run.record
    if record is None:
        return (str(run.number), NA, run.status, *[NA] * (len(RUN_HEADER) - 3))
    timing = record.timing
    stop = timing.stop if timing else NA
    phases = [seconds(getattr(timing, phase)) if timing else NA for phase in PHASES]
    load = record.load
    return (
        *(str(run.number), f"{places[run.path]:,}.", run.status),
        *(ms(run.step_ms), ms(run.synchronised_ms), ms(run.legacy_ms)),
        *(str(timing.steps) if timing else NA, stop, (timing and timing.compile_cache) or NA),
        *(*phases, seconds(record.total_s)),
        *(mib(record.memory.peak_rss_mib), mib(record.memory.peak_device_mib)),
        NA if load.before is None else f"{load.before:.2f}",
        NA if load.foreign_cpu_share is None else percent(load.foreign_cpu_share),
    )


def _warnings(records: Sequence[Record]) -> tuple[str, ...]:
    found = list(dict.fromkeys(text for record in records for text in record.warnings))
    more = len(found) - MOST_WARNINGS
    last = [f"and {count(more, 'more warning')} in the records"] if more > 0 else []
    return (*found[:MOST_WARNINGS], *last)
