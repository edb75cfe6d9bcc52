"""Machine-readable tables: the printed table cell by cell, and every run with its scalar fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from analysis.cells import Cell, Results, Run
from analysis.record import Record
from analysis.tables.model import Table, TableRow
from analysis.text import NA, csv_text


def table_csv(table: Table) -> str:
    """One line per cell, in table order, with the numbers of the printed table to the digit."""
    own_labels = [title.lower().replace(" ", "_") for title in table.label_columns[1:]]
    header = ["model", "task", "title", *own_labels, "framework"]
    header += [
        "status",
        "ms_per_step",
        "ci95_low_ms",
        "ci95_high_ms",
        "best",
        "steady_state",
        "note",
    ]
    return csv_of(header, (line for row in table.rows for line in _cell_lines(table, row)))


def _cell_lines(table: Table, row: TableRow) -> Iterable[list[str]]:
    notes = dict(table.notes)
    for framework, cell in zip(table.columns, row.cells, strict=True):
        number = cell.text if cell.status in ("ok", "published") else NA
        yield [
            *map(csv_text, (row.row.model, row.row.task, *row.labels, framework.name)),
            *(csv_text(cell.status), number, *(cell.ends or (NA, NA)), str(cell.best).lower()),
            csv_text(cell.steady_state),
            csv_text(" | ".join(notes[mark] for mark in cell.marks)),
        ]


RUN_COLUMNS = (
    *("model", "task", "batch_size", "framework", "run", "position", "status", "reason", "record"),
    *("ms_per_step", "synchronised_p50_ms", "legacy_ms", "blocks", "steps", "steady_state"),
    *("flops_per_s", "share_of_peak"),
)
# of a record: fields that RUN_COLUMNS already hold, and what is no scalar
ELSEWHERE = {"status", "reason", "environment.packages"}
ELSEWHERE |= {f"cell.{name}" for name in ("model", "task", "batch_size", "framework", "run")}
OPTIONAL_PARTS = {"timing", "legacy", "work", "parity"}


def runs_csv(results: Results) -> str:
    """One line per planned run: its results, then every scalar field of its record, unrounded."""
    lines = [(_run_columns(cell, run), _record_columns(run.record)) for cell, run in results.runs]
    extra = list(dict.fromkeys(name for _, fields in lines for name in fields))
    rows = (
        [*map(value_text, first), *(value_text(fields.get(name)) for name in extra)]
        for first, fields in lines
    )
    return csv_of([*RUN_COLUMNS, *extra], rows)


def _run_columns(cell: Cell, run: Run) -> list[Any]:
    timing = run.record.timing if run.ok else None
    counts = (len(timing.blocks), timing.steps) if timing else (None, None)
    place = (
        *cell.row.key,
        cell.framework.name,
        run.number,
        run.position,
        run.status,
        run.reason,
        run.path,
    )
    state = run.course.state if run.ok else None
    times = (run.step_ms, run.synchronised_ms, run.legacy_ms)
    return [*place, *times, *counts, state, run.flops_per_s, run.share_of_peak]


def _record_columns(record: Record | None) -> dict[str, Any]:
    """Scalar fields by dotted name; lists and the package list stay in the record."""
    return dict(_scalars("", asdict(record))) if record else {}


def _scalars(prefix: str, data: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for key, value in data.items():
        if f"{prefix}{key}" in ELSEWHERE or (value is None and key in OPTIONAL_PARTS):
            continue
        if isinstance(value, dict):
            yield from _scalars(f"{prefix}{key}.", value)
        elif not isinstance(value, list | tuple):
            yield f"{prefix}{key}", value


def value_text(value: Any) -> str:
    """A value unrounded; NA for None."""
    if value is None:
        return NA
    return csv_text(value) if isinstance(value, str) else repr(value)


def csv_of(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A whole file."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([csv_text(title) for title in header])
    writer.writerows(rows)
    return buffer.getvalue()
