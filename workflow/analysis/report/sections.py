"""The tables of the appendix that are not about ms/step: time, environments, schedule."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from analysis.caveats.groups import Group
from analysis.formats.text import NA, anchor, count, listed, mib, ms, percent, seconds
from analysis.report.anchors import environment_anchor
from analysis.report.caveat_views import marks_of_cell
from analysis.report.details import PHASES, OfTopics, cell_views
from analysis.report.parity import differing
from analysis.results.cells import Cell
from analysis.results.plan import RowKey
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.tables.html import Mark
from analysis.topics import Detail
from analysis.writing.grid import Grid


def row_views(
    results: Results,
    groups: Sequence[Group],
    details: Mapping[RowKey, Sequence[Detail]],
    of_topics: OfTopics,
) -> Iterator[dict[str, Any]]:
    """What the template shows of each row of the table."""
    started = [run.path for _, run in _realised(results) if run.record]
    places = {path: place for place, path in enumerate(started, start=1)}
    used = {view["key"]: (f"#{view['anchor']}", view["title"]) for view in environments(results)}

    def marks(cell: Cell) -> Sequence[Mark]:
        return marks_of_cell(groups, cell)

    for row in results.rows:
        yield {
            "anchor": anchor("row", row.row.model, row.row.task, f"b{row.row.batch_size}"),
            "title": f"{row.row.title}, batch {row.row.batch_size}",
            "differing": differing(row),
            "breakdown": time_breakdown(row),
            "details": details.get(row.row.key, ()),
            "cells": cell_views(row, places, used, marks, of_topics),
        }


def import_of_tensorflow(row: RowCells) -> str:
    """What it takes of the import of columns that compute with another library; "" without any."""
    found = {}
    for cell in row.measured:
        known = [record.timing.import_tensorflow_s for record in cell.records]
        if took := [value for value in known if value is not None]:
            found[cell.column.title] = f"{seconds(fmean(took))} s with {cell.column.title}"
    if not found:
        return ""
    whose = "Of the import, TensorFlow's, which Keras' model libraries need on every backend, took "
    return f". {whose}{listed(list(found.values()))}"


BREAKDOWN = (
    *("Framework", "Runs", "Import, s", "Build", "First step", "Warm-up", "Timed", "Other"),
    *("Total", "Host, MiB", "Device, MiB", "by the driver", "J/step", "Host overhead"),
)


def time_breakdown(row: RowCells) -> Grid:
    """Where the wall time of a run went, mean over the runs of a cell that count and that found the
    same in the caches of their compiler; peaks of memory; energy; what the host costs.
    """
    caption = (
        f"{row.row.title}, batch {row.row.batch_size}: seconds of a run (means), peaks of memory "
        "(of the device: what the framework counted, and what the driver saw the process hold "
        "during the timed steps), energy" + import_of_tensorflow(row)
    )
    lines = (_breakdown(cell, caches) for cell in row.measured for caches in _found(cell))
    return Grid(caption, BREAKDOWN, tuple(lines))


def _found(cell: Cell) -> list[str | None]:
    return sorted({record.timing.compile_cache for record in cell.records}, key=str)


def _breakdown(cell: Cell, caches: str | None) -> tuple[str, ...]:
    records = [record for record in cell.records if record.timing.compile_cache == caches]
    title = f"{cell.column.title}, {caches} caches" if caches else cell.column.title
    phases = [
        seconds(fmean(getattr(record.timing, phase) for record in records)) for phase in PHASES
    ]
    joules = _mean(record.energy.joules_per_step for record in records if record.energy)
    overhead = _mean(r.host_overhead.share for r in records if r.host_overhead)
    return (
        *(title, str(len(records)), *phases),
        seconds(fmean(record.total_s for record in records)),
        mib(_highest(record.memory.peak_rss_mib for record in records)),
        mib(_highest(record.memory.peak_device_mib for record in records)),
        mib(_highest(record.driver_device_mib for record in records)),
        NA if joules is None else f"{joules:.3g}",
        NA if overhead is None else percent(overhead),
    )


def _highest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def environments(results: Results) -> list[dict[str, Any]]:
    """Every different environment that a counted run found itself in, with all versions."""
    found = {record.environment.found: record.environment for record in reversed(results.records)}
    different = dict.fromkeys(record.environment.found for record in results.records)
    return [
        {
            "key": key,
            "anchor": environment_anchor(place),
            "title": found[key].name,
            "facts": f"{found[key].method}, Python {found[key].python}, "
            f"{count(len(found[key].packages), 'package')}, definition sha256 "
            f"{found[key].definition_sha256}",
            "packages": sorted(found[key].packages.items()),
        }
        for place, key in enumerate(different)
    ]


def schedule(results: Results) -> Grid:
    """Every run in the order in which it was really started; runs without a record come last."""
    header = ("Started (UTC)", "Cell", "Run", "Planned place", "Status", "ms/step", "Load before")
    lines = tuple(_scheduled(*run) for run in _realised(results))
    return Grid("Runs in the order in which they were started", header, lines)


def _realised(results: Results) -> list[tuple[Cell, Run]]:
    return sorted(results.runs, key=_start)


def _start(entry: tuple[Cell, Run]) -> Sequence[object]:
    _, run = entry
    return (run.record is None, run.record.started_at if run.record else "", run.position)


def _scheduled(cell: Cell, run: Run) -> tuple[str, ...]:
    started = run.record.started_at[:19].replace("T", " ") if run.record else NA
    load = run.record.load.before if run.record else None
    place = (str(run.number), str(run.position + 1), run.status, ms(run.step_ms))
    return (started, cell_name(cell), *place, NA if load is None else f"{load:.2f}")


def cell_name(cell: Cell) -> str:
    """'BERT fit b8, Keras 3 (JAX)'."""
    return f"{cell.row.title} b{cell.row.batch_size}, {cell.column.title}"


def rules(results: Results) -> Grid:
    """What each rule of the workflow does, each after those whose files it reads."""
    found = results.rule_graph.rules if results.rule_graph else ()
    return Grid(
        "Rules of the workflow that made the results",
        ("Rule", "What it does", "Jobs", "Reads files of"),
        tuple((r.name, r.says, f"{r.jobs:,}", listed(list(r.after))) for r in found),
    )
