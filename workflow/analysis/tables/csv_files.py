"""Machine-readable tables: the printed table cell by cell, and every run with its scalar fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from analysis.formats.text import NA, csv_text
from analysis.tables.model import Table, TableRow


def table_csv(table: Table) -> str:
    """One line per cell, in table order, with the numbers of the printed table to the digit."""
    own_labels = [title.lower().replace(" ", "_") for title in table.label_columns[1:]]
    header = ["model", "task", "title", *own_labels, "column"]
    header += [
        "status",
        "ms_per_step",
        "ci95_low_ms",
        "ci95_high_ms",
        "best",
        "standing",
        "steady_state",
        "note",
    ]
    return csv_of(header, (line for row in table.rows for line in _cell_lines(table, row)))


def _cell_lines(table: Table, row: TableRow) -> Iterable[list[str]]:
    notes = dict(table.notes)
    for column, cell in zip(table.columns, row.cells, strict=True):
        number = cell.text if cell.status in ("ok", "published") else NA
        yield [
            *map(csv_text, (row.row.model, row.row.task, *row.labels, column.name)),
            *(csv_text(cell.status), number, *(cell.ends or (NA, NA)), str(cell.best).lower()),
            csv_text(cell.standing or NA),
            csv_text(cell.steady_state),
            csv_text(" | ".join(notes[mark] for mark in cell.marks)),
        ]


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
