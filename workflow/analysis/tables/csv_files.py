"""The printed table as CSV, cell by cell."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from analysis.formats.text import NA
from analysis.tables.model import Table, TableRow
from analysis.writing.files import to_csv

OF_CELL = ("status", "ms_per_step", "ci95_low_ms", "ci95_high_ms", "best", "standing")
OF_CELL += ("steady_state", "note")


def table_csv(table: Table) -> str:
    """One line per cell, in table order, with the numbers of the printed table to the digit."""
    own_labels = [title.lower().replace(" ", "_") for title in table.label_columns[1:]]
    header = ["model", "task", "title", *own_labels, "column", *OF_CELL]
    lines = (line for row in table.rows for line in _cell_lines(table, row))
    return to_csv(pd.DataFrame(lines, columns=header, dtype=object))


def _cell_lines(table: Table, row: TableRow) -> Iterable[tuple[Any, ...]]:
    for column, cell in zip(table.columns, row.cells, strict=True):
        number = cell.text if cell.status in ("ok", "published") else NA
        yield (
            *(row.row.model, row.row.task, *row.labels, column.name, cell.status, number),
            *(*(cell.ends or (NA, NA)), str(cell.best).lower(), cell.standing or NA),
            *(cell.steady_state, " | ".join(cell.notes)),
        )
