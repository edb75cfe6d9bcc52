"""One table as Markdown (as LaTeX: `latex`, as HTML: `html`), in the table's own texts."""

from analysis.formats.text import markdown
from analysis.tables.model import Table, TableCell, column_titles, parts
from contract import table_text


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
