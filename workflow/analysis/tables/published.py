"""Ours beside published: each labelled with its hardware and batch size, never ranked together."""

from __future__ import annotations

from analysis.formats.text import NA, listed, ms
from analysis.results.cells import Cell, Results, RowCells
from analysis.results.reference import Reference
from analysis.tables.model import (
    Footnotes,
    Table,
    TableCell,
    TableRow,
    badge,
    lost_marks,
    status_cell,
)


def published_table(results: Results, reference: Reference) -> Table:
    """Two lines per row of the plan: this run, and the published revision that is compared."""
    notes, here = Footnotes(), machine_label(results)
    rows = tuple(line for entry in results.rows for line in _lines(entry, here, reference, notes))
    caption = (
        f"ms/step of this run beside the published table ({reference.title}; {reference.url}). "
        f"Published: {reference.hardware}; {reference.method}. {_revisions(results, reference)} "
        "Hardware, software, method and often batch size differ between the two lines of a row, so "
        "they are not ranked together."
    )
    labels = ("Model and task", "Measured on", "Batch size")
    return Table("published", caption, labels, results.plan.columns, rows, notes.listed())


def machine_label(results: Results) -> str:
    """What this run ran on, in a few words."""
    names = {record.machine.accelerator_name or record.machine.cpu for record in results.records}
    return f"this run: {listed(sorted(names))}" if names else "this run"


def _lines(entry: RowCells, here: str, reference: Reference, notes: Footnotes) -> list[TableRow]:
    row = entry.row
    ours = tuple(_ours(cell, notes) for cell in entry.cells)
    theirs = tuple(_theirs(cell, reference, notes) for cell in entry.cells)
    batch = str(row.published_batch_size) if row.published_batch_size is not None else NA
    return [
        TableRow(row, (row.title, here, str(row.batch_size)), ours),
        TableRow(row, (row.title, f"published: {reference.hardware_short}", batch), theirs),
    ]


def _ours(cell: Cell, notes: Footnotes) -> TableCell:
    if not cell.ok_runs:
        return status_cell(cell, notes)
    return TableCell(
        ms(cell.step_ms),
        cell.status,
        steady_state=cell.course.state,
        badge=badge(cell),
        marks=lost_marks(cell, notes),
    )


def _theirs(cell: Cell, reference: Reference, notes: Footnotes) -> TableCell:
    value = reference.beside(cell.row, cell.column)
    if value is not None:
        return TableCell(f"{value:.2f}", "published")
    return TableCell(NA, "not published", marks=(notes.mark(f"{NA}: no published number"),))


def _revisions(results: Results, reference: Reference) -> str:
    """Which revision stands under which columns."""
    columns: dict[str, list[str]] = {}
    for column in results.plan.columns:
        if column.family in reference.compared:
            columns.setdefault(reference.compared[column.family], []).append(column.title)
    parts = [f"revision {revision} for {listed(titles)}" for revision, titles in columns.items()]
    return f"Compared: {'; '.join(parts)}." if parts else "No column has a published counterpart."
