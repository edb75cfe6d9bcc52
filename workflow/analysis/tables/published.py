"""Our numbers and the published ones: each labelled with its hardware and batch size, never ranked
together.
"""

from collections.abc import Sequence

from analysis.formats.text import NA, listed, ms
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.tables.model import (
    Footnotes,
    Table,
    TableCell,
    TableRow,
    badge,
    footnote_marks,
    status_cell,
)


def published_table(results: Results, reference: Reference) -> Table:
    """Two lines per row of the plan: this run, and the published revision that is compared. On the
    page's own versions where they were measured, else on today's; only frameworks without other
    settings, which the page does not have.
    """
    columns = reference.beside(results.plan.columns)
    notes, here = Footnotes(), machine_label(results, columns)
    entries = results.rows if columns else ()
    rows = tuple(
        line for entry in entries for line in _lines(entry, columns, here, reference, notes)
    )
    caption = (
        f"ms/step of this run beside the published table ({reference.title}; {reference.url}). "
        f"Published: {reference.hardware}; {reference.method}. {_revisions(columns, reference)} "
        "Hardware, software, method and often batch size differ between the two lines of a row, so "
        "they are not ranked together."
    )
    labels = ("Model and task", "Measured on", "Batch size")
    return Table("published", caption, labels, columns, rows, notes.listed())


def machine_label(results: Results, columns: Sequence[Column]) -> str:
    """What these columns ran on, in short."""
    cells = [cell for row in results.rows for cell in row.measured if cell.column in columns]
    names = {r.machine.accelerator_name or r.machine.cpu for cell in cells for r in cell.records}
    return f"this run: {listed(sorted(names))}" if names else "this run"


def _lines(
    entry: RowCells,
    columns: Sequence[Column],
    here: str,
    reference: Reference,
    notes: Footnotes,
) -> list[TableRow]:
    row = entry.row
    cells = [cell for cell in entry.cells if cell.column in columns]
    ours = tuple(_ours(cell, notes) for cell in cells)
    theirs = tuple(_theirs(cell, reference, notes) for cell in cells)
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
        steady_state=cell.steadiness.state,
        badge=badge(cell),
        marks=footnote_marks(cell, notes),
    )


def _theirs(cell: Cell, reference: Reference, notes: Footnotes) -> TableCell:
    value = reference.published_ms(cell.row, cell.column)
    if value is not None:
        return TableCell(f"{value:.2f}", "published")
    return TableCell(NA, "not published", marks=(notes.mark(f"{NA}: no published number"),))


def _revisions(columns: Sequence[Column], reference: Reference) -> str:
    """Which revision stands under which columns."""
    found: dict[str, list[str]] = {}
    for column in columns:
        if column.family in reference.compared:
            found.setdefault(reference.compared[column.family], []).append(column.title)
    parts = [f"revision {revision} for {listed(titles)}" for revision, titles in found.items()]
    return f"Compared: {'; '.join(parts)}." if parts else "No column has a published counterpart."
