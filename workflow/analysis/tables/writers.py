"""One table as Markdown, HTML and plain text (as LaTeX: `latex`). The numbers are the table's own
text, so they agree to the digit.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from analysis.formats.text import html_text, markdown, plain
from analysis.results.plan import Column, Row
from analysis.tables.model import Table, TableCell, TableRow, parts
from contract import table_text

Details = Callable[[Row, Column], str]
ELSEWHERE = ("published", "not published")  # what this run knows nothing more about


def column_titles(table: Table) -> list[str]:
    """The header line."""
    return [*table.label_columns, *(column.title for column in table.columns)]


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


def to_html(table: Table, details: Details | None = None) -> str:
    """A table element with scopes and a caption, then its footnotes; ids start with its name.

    `details` gives the id of what explains a cell of this run; its number becomes a link there.
    """
    label_heads = "".join(
        f'<th scope="col" class="label">{html_text(title)}</th>' for title in table.label_columns
    )
    heads = "".join(f'<th scope="col">{html_text(column.title)}</th>' for column in table.columns)
    body = "\n".join(_html_row(table, row, details) for row in table.rows)
    notes = "".join(
        f'<li id="{table.name}-note-{mark}"><sup>{mark}</sup> {html_text(text)}</li>'
        for mark, text in table.notes
    )
    return (
        f'<div class="scroll" role="region" aria-label="{html_text(table.name)}" tabindex="0">\n'
        f'<table class="times"><caption><span>{html_text(table.caption)}</span></caption>\n'
        f"<thead><tr>{label_heads}{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n</div>\n"
        + (f'<ol class="notes">{notes}</ol>\n' if notes else "")
    )


def _html_row(table: Table, row: TableRow, details: Details | None) -> str:
    # The batch size scrolls out of a wide table's view: rows of one title need more.
    head, *others = map(html_text, (row.row.label, *row.labels[1:]))
    labels = [f'<td class="label">{text}</td>' for text in others]
    cells = [
        _html_cell(table, cell, details(row.row, column) if details else None)
        for column, cell in zip(table.columns, row.cells, strict=True)
    ]
    return f'<tr><th scope="row">{head}</th>{"".join([*labels, *cells])}</tr>'


def _html_cell(table: Table, cell: TableCell, details: str | None) -> str:
    marks = ", ".join(f'<a href="#{table.name}-note-{mark}">{mark}</a>' for mark in cell.marks)
    return (
        f'<td class="{html_text(cell.status.replace(" ", "-"))}">{_html_number(cell, details)}'
        + _html_standing(cell)
        + (f"<sup>{marks}</sup>" if marks else "")
        + (f'<span class="interval">{html_text(cell.interval)}</span>' if cell.ends else "")
        + (f'<span class="badge">{html_text(cell.badge)}</span>' if cell.badge else "")
        + "</td>"
    )


def _html_number(cell: TableCell, details: str | None) -> str:
    text = f"<strong>{html_text(cell.text)}</strong>" if cell.best else html_text(cell.text)
    if details is None or cell.status in ELSEWHERE:
        return text
    return f'<a class="number" href="#{details}">{text}</a>'


def _html_standing(cell: TableCell) -> str:
    if not cell.standing_mark:
        return ""
    title, mark = html_text(cell.standing), html_text(cell.standing_mark)
    return f'<sup class="standing"><abbr title="{title}">{mark}</abbr></sup>'
