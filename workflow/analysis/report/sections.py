"""The tables of the report that are not about ms/step: parity, where the time went, environments,
schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from analysis.caveats.parity import NO_DIFFERENCE
from analysis.cells import Cell, Results, RowCells, Run
from analysis.record import Record
from analysis.text import NA, count, listed, mib, ms, seconds, spelled

# order of a parity card: what decides a comparison first
CARD = ("framework_version", "backend", "execution", "compiler", "dtype", "matmul_precision")
CARD += ("attention", "optimizer", "device", "threads", "flush_denormals")


@dataclass(frozen=True)
class Grid:
    """A plain table for the template: texts only. `marked` are indices of lines worth a look."""

    caption: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()


def parity_cards(results: Results) -> list[Grid]:
    """One table per row: a line per entry of the card, a column per framework; lines that differ
    are marked.
    """
    return [_parity(row) for row in results.rows if row.measured]


def _parity(row: RowCells) -> Grid:
    cards = [record.parity for cell in row.measured for record in cell.records if record.parity]
    entries = [
        (key, _reader(key)) for key in dict.fromkeys([*CARD, *(k for c in cards for k in c)])
    ]
    entries += [(key, _work_reader(key)) for key in ("parameters", "trainable_parameters")]
    lines = [
        (key.replace("_", " "), *(_agreed(cell, read) for cell in row.measured))
        for key, read in entries
    ]
    marked = frozenset(
        index
        for index, (key, _) in enumerate(entries)
        if key not in NO_DIFFERENCE and len(set(lines[index][1:]) - {NA}) > 1
    )
    header = ("What ran", *(cell.framework.title for cell in row.measured))
    return Grid(f"{row.row.title}, batch {row.row.batch_size}", header, tuple(lines), marked)


def _reader(key: str) -> Callable[[Record], Any]:
    return lambda record: (record.parity or {}).get(key)


def _work_reader(key: str) -> Callable[[Record], Any]:
    return lambda record: getattr(record.work, key, None)


def _agreed(cell: Cell, read: Callable[[Record], Any]) -> str:
    """The value of all runs of a cell, or all their values."""
    return listed(list(dict.fromkeys(spelled(read(record)) for record in cell.records)))


PHASES = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s", "other_s")


def time_breakdown(results: Results) -> Grid:
    """Where the wall time of a run went, mean over the runs of a cell that count, in seconds;
    memory in MiB.
    """
    header = (
        "Cell",
        "Runs",
        *(phase.removesuffix("_s").replace("_", " ") for phase in PHASES),
        "total",
    )
    header += ("peak memory", "device memory", "fenced step, ms")
    lines = tuple(_breakdown(cell) for cell in results.cells if cell.ok_runs)
    return Grid(
        "Mean per run in seconds; peaks in MiB; fenced step: median ms of a step with a fence "
        "after it",
        header,
        lines,
    )


def _breakdown(cell: Cell) -> tuple[str, ...]:
    records = cell.records
    phases = [
        seconds(fmean(getattr(record.timing, phase) for record in records)) for phase in PHASES
    ]
    synchronised = [run.synchronised_ms for run in cell.ok_runs if run.synchronised_ms]
    return (
        cell_name(cell),
        str(len(records)),
        *phases,
        seconds(fmean(record.total_s for record in records)),
        mib(_highest(record.memory.peak_rss_mib for record in records)),
        mib(_highest(record.memory.peak_device_mib for record in records)),
        ms(fmean(synchronised)) if synchronised else NA,
    )


def _highest(values: Any) -> float | None:
    return max((value for value in values if value is not None), default=None)


def cell_name(cell: Cell) -> str:
    """'BERT fit b8, Keras 3 (JAX)'."""
    return f"{cell.row.title} b{cell.row.batch_size}, {cell.framework.title}"


@dataclass(frozen=True)
class EnvironmentView:
    """One environment as found by the runs that used it."""

    title: str
    facts: str
    packages: tuple[tuple[str, str], ...]


def environments(results: Results) -> list[EnvironmentView]:
    """Every different environment that a counted run found itself in, with all versions."""
    found: dict[tuple, Record] = {}
    for record in results.records:
        environment = record.environment
        versions = tuple(sorted(environment.packages.items()))
        found.setdefault(
            (environment.name, environment.method, environment.python, versions), record
        )
    return [_environment(record) for record in found.values()]


def _environment(record: Record) -> EnvironmentView:
    environment = record.environment
    facts = (
        f"{environment.method}, Python {environment.python}, "
        f"{count(len(environment.packages), 'package')}, definition sha256 "
        f"{environment.definition_sha256}"
    )
    return EnvironmentView(environment.name, facts, tuple(sorted(environment.packages.items())))


def schedule(results: Results) -> Grid:
    """Every run in the order in which it was really started; runs without a record come last."""
    runs = sorted(results.runs, key=_start)
    header = ("Started (UTC)", "Cell", "Run", "Planned place", "Status", "ms/step", "Load before")
    return Grid(
        "Runs in the order in which they were started",
        header,
        tuple(_scheduled(*run) for run in runs),
    )


def _start(entry: tuple[Cell, Run]) -> Sequence[Any]:
    _, run = entry
    return (run.record is None, run.record.started_at if run.record else "", run.position)


def _scheduled(cell: Cell, run: Run) -> tuple[str, ...]:
    started = run.record.started_at[:19].replace("T", " ") if run.record else NA
    load = run.record.load.before if run.record else None
    place = (str(run.number), str(run.position + 1), run.status, ms(run.step_ms))
    return (started, cell_name(cell), *place, NA if load is None else f"{load:.2f}")
