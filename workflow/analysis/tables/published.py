"""Our numbers and the published ones: each labelled with its hardware and batch size, never ranked
together.
"""

from collections.abc import Iterable, Sequence

from analysis.formats.text import NA, listed
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.tables.model import TEXTS, Table, TableCell, TableRow, letters, table_cell

LABELS = ("Model and task", "Measured on", "Batch size")


def published_table(results: Results, reference: Reference) -> Table:
    """Two lines per row of the plan: this run, and the published revision that is compared. On the
    page's own versions where they were measured, else on today's; only frameworks without other
    settings, which the page does not have.
    """
    columns = reference.beside(results.plan.columns)
    here = machine_label(results, columns)
    revisions: dict[str, list[str]] = {}  # which stands under which columns
    for column in columns:
        if column.family in reference.compared:
            revisions.setdefault(reference.compared[column.family], []).append(column.title)
    rows = tuple(
        line
        for entry in (results.rows if columns else ())
        for line in _lines(entry, columns, here, reference)
    )
    text = TEXTS.say("published", reference=reference, revisions=revisions)
    return Table("published", text, LABELS, columns, rows, letters(rows))


def machine_label(results: Results, columns: Sequence[Column]) -> str:
    """The hardware that these columns ran on, in short."""
    cells = [cell for row in results.rows for cell in row.measured if cell.column in columns]
    names = {r.machine.device for cell in cells for r in cell.records}
    return f"this run: {listed(sorted(names))}" if names else "this run"


def _lines(
    entry: RowCells, columns: Sequence[Column], here: str, reference: Reference
) -> Iterable[TableRow]:
    row = entry.row
    cells = [cell for cell in entry.cells if cell.column in columns]
    ours = tuple(table_cell(cell) for cell in cells)
    theirs = tuple(_theirs(cell, reference) for cell in cells)
    batch = str(row.published_batch_size) if row.published_batch_size is not None else NA
    yield TableRow(row, (row.title, here, str(row.batch_size)), ours)
    yield TableRow(row, (row.title, f"published: {reference.hardware_short}", batch), theirs)


def _theirs(cell: Cell, reference: Reference) -> TableCell:
    value = reference.published_ms(cell.row, cell.column)
    if value is not None:
        return TableCell(f"{value:.2f}", "published")
    return TableCell(NA, "not published", notes=(f"{NA}: no published number",))
