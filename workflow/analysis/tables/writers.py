"""One table as Markdown and plain text (as LaTeX: `latex`, as HTML: `html`). The numbers are the
table's own text, so they agree to the digit.
"""

import textwrap

from analysis.formats.text import markdown, plain
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
    lines += [[*map(markdown, row.labels), *map(_markdown_cell, row.cells)] for row in table.rows]
    labels = len(table.label_columns)
    intervals = any(cell.ends for row in table.rows for cell in row.cells)
    widths = table_text.widths(lines, labels, intervals)
    rule = [
        "-" * width if place < labels - 1 else "-" * (width - 1) + ":"
        for place, width in enumerate(widths)
    ]
    each = (lines[0], rule, *lines[1:])
    return [table_text.aligned(line, widths, labels) for line in each]


def _markdown_cell(cell: TableCell) -> str:
    text = f"**{markdown(cell.text)}**" if cell.best else markdown(cell.text)
    standing = f" {cell.standing_mark}" if cell.standing_mark else ""
    marks = f" ({', '.join(cell.marks)})" if cell.marks else ""
    badge = f" *{markdown(cell.badge)}*" if cell.badge else ""
    return text + standing + badge + (f" {cell.interval}" if cell.ends else "") + marks


def to_plain(table: Table, width: int) -> str:
    """For a terminal: a line per column under each row, since many columns need a wide screen."""
    lines = [textwrap.fill(plain(table.caption), width), ""]
    titles = [plain(column.title) for column in table.columns]
    broad = max(map(len, titles), default=0)
    for row in table.rows:
        extra = ", ".join(
            f"{title.lower()} {label}"
            for title, label in zip(table.label_columns[1:], row.labels[1:], strict=True)
        )
        lines.append(plain(f"{row.labels[0]} ({extra})"))
        lines += [
            f"  {title.ljust(broad)}  {_plain_cell(cell)}"
            for title, cell in zip(titles, row.cells, strict=True)
        ]
    notes = [
        textwrap.fill(f"({mark}) {plain(text)}", width, subsequent_indent="    ")
        for mark, text in table.notes
    ]
    return "\n".join([*lines, "", *notes])


def _plain_cell(cell: TableCell) -> str:
    mark = "*" if cell.best else cell.standing_mark
    standing = f" {mark} " if len(mark) > 1 else f" {mark:1}"
    marks = f" ({', '.join(cell.marks)})" if cell.marks else ""
    badge = f" {cell.badge}" if cell.badge else ""
    return f"{plain(cell.text):>9}{standing}{cell.interval}{badge}{marks}".rstrip()
