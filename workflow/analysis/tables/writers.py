"""One table as Markdown, CSV and HTML (as LaTeX: `latex`), in the table's own texts. In HTML every
number leads to its cell, every letter to a caveat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.caveats.groups import Group
from analysis.formats.text import NA, markdown
from analysis.results.plan import Column, Row
from analysis.tables.model import Table, TableCell, TableRow, column_titles, parts
from analysis.writing.files import to_csv
from analysis.writing.rendering import template
from contract import table_text

if TYPE_CHECKING:
    from markupsafe import Markup

OF_CELL = ("status", "ms_per_step", "ci95_low_ms", "ci95_high_ms", "best", "standing")
OF_CELL += ("steady_state", "note")


def to_markdown(table: Table) -> str:
    """Markdown with aligned columns, so that it reads well on a terminal too; a table of many
    columns in parts, one below the other.
    """
    tables = "\n\n".join("\n".join(_markdown_table(part)) for part in parts(table))
    notes = [f"- {mark}: {markdown(text)}" for mark, text in table.notes]
    return "\n".join([tables, "", markdown(table.caption), *(["", *notes] if notes else [])]) + "\n"


def _markdown_table(table: Table) -> list[str]:
    header = column_titles(table)
    lines = [[markdown(title) for title in header]]
    for row in table.rows:
        cells = (_markdown_cell(cell, table.marks(cell)) for cell in row.cells)
        lines.append([*map(markdown, row.labels), *cells])
    labels = len(table.label_columns)
    intervals = any(cell.ends for row in table.rows for cell in row.cells)
    widths = table_text.widths(lines, labels, intervals)
    rule = [
        "-" * width if place < labels - 1 else "-" * (width - 1) + ":"
        for place, width in enumerate(widths)
    ]
    each = (lines[0], rule, *lines[1:])
    return [table_text.aligned(line, widths, labels) for line in each]


def _markdown_cell(cell: TableCell, letters: list[str]) -> str:
    text = f"**{markdown(cell.text)}**" if cell.best else markdown(cell.text)
    standing = f" {cell.standing_mark}" if cell.standing_mark else ""
    marks = f" ({', '.join(letters)})" if letters else ""
    badge = f" *{markdown(cell.badge)}*" if cell.badge else ""
    return text + standing + badge + (f" {cell.interval}" if cell.ends else "") + marks


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


def to_html(
    table: Table,
    details: Callable[[Row, Column], str] = lambda row, column: "",
    caveats: Callable[[Row, Column], Sequence[Group]] = lambda row, column: (),
) -> Markup:
    """A table element with scopes and a caption, then its footnotes; ids start with its name. Of a
    cell of this run `details` gives the address of its details, `caveats` those on it.
    """
    from markupsafe import Markup

    page = template("table.html.j2")
    return Markup(page.render(table=table, details=details, caveats=caveats))
