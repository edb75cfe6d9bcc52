"""A table as HTML: every number leads to its cell, every letter to a caveat."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.formats.text import html_text
from analysis.results.plan import Column, Row
from analysis.tables.model import Table, TableCell, TableRow

ELSEWHERE = ("published", "not published")  # what this run knows nothing more about
OURS = (
    "table"  # whose rows say beneath their name what they measure; the published ones are others'
)


@dataclass(frozen=True)
class Mark:
    """A letter beside a number, and what it leads to."""

    letter: str
    title: str
    href: str


@dataclass(frozen=True)
class Links:
    """Of a cell of this run: the address of its details, and the caveats that touch it."""

    details: Callable[[Row, Column], str] = lambda row, column: ""
    caveats: Callable[[Row, Column], Sequence[Mark]] = lambda row, column: ()


NOWHERE = Links()


def to_html(table: Table, links: Links = NOWHERE) -> str:
    """A table element with scopes and a caption, then its footnotes; ids start with its name."""
    label_heads = "".join(
        f'<th scope="col" class="label">{html_text(title)}</th>' for title in table.label_columns
    )
    heads = "".join(f'<th scope="col">{_head(column.title)}</th>' for column in table.columns)
    body = "\n".join(_row(table, row, links) for row in table.rows)
    notes = "".join(
        f'<li id="{table.name}-note-{mark}"><sup>{mark}</sup> {html_text(text)}</li>'
        for mark, text in table.notes
    )
    label = f"ms/step by row and column, {html_text(table.name)}"
    return (
        f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">\n'
        f'<table class="times"><caption><span>{html_text(table.caption)}</span></caption>\n'
        f"<thead><tr>{label_heads}{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n</div>\n"
        + (f'<ol class="notes">{notes}</ol>\n' if notes else "")
    )


def _head(title: str) -> str:
    """A date in it stays on one line."""
    return re.sub(r"\d+(-\d+)+", r'<span class="whole">\g<0></span>', html_text(title))


def _row(table: Table, row: TableRow, links: Links) -> str:
    # The batch size scrolls out of a wide table's view: rows of one title need more.
    head, *others = map(html_text, (row.row.label, *row.labels[1:]))
    short = row.row.measures.get("short") if table.name == OURS else None
    if short:
        head += f'<span class="measures">{html_text(short)}</span>'
    labels = [
        f'<td class="label" data-column="{html_text(title)}">{text}</td>'
        for title, text in zip(table.label_columns[1:], others, strict=True)
    ]
    cells = [
        _cell(table, row.row, column, cell, links)
        for column, cell in zip(table.columns, row.cells, strict=True)
    ]
    return f'<tr><th scope="row">{head}</th>{"".join([*labels, *cells])}</tr>'


def _cell(table: Table, row: Row, column: Column, cell: TableCell, links: Links) -> str:
    marks = ", ".join(f'<a href="#{table.name}-note-{mark}">{mark}</a>' for mark in cell.marks)
    kind = f"{cell.status} disturbed" if cell.disturbed else cell.status.replace(" ", "-")
    ours = cell.status not in ELSEWHERE
    href = links.details(row, column) if ours else ""
    # A footnote says more of its cell than a letter.
    letters = _letters(links.caveats(row, column)) if ours and not cell.marks else ""
    return (
        f'<td class="{html_text(kind)}" data-column="{html_text(column.title)}">'
        + _number(cell, href)
        + _standing(cell)
        + (f"<sup>{marks}</sup>" if marks else "")
        + letters
        + (f'<span class="interval">{html_text(cell.interval)}</span>' if cell.ends else "")
        + (f'<span class="badge">{html_text(cell.badge)}</span>' if cell.badge else "")
        + "</td>"
    )


def _number(cell: TableCell, href: str) -> str:
    text = f"<strong>{html_text(cell.text)}</strong>" if cell.best else html_text(cell.text)
    return f'<a class="number" href="{href}">{text}</a>' if href else text


def _standing(cell: TableCell) -> str:
    if not cell.standing_mark:
        return ""
    title, mark = html_text(cell.standing), html_text(cell.standing_mark)
    return f'<sup class="standing"><abbr title="{title}">{mark}</abbr></sup>'


def _letters(marks: Sequence[Mark]) -> str:
    links = [
        f'<a href="{mark.href}" title="{html_text(mark.title)}">{mark.letter}</a>' for mark in marks
    ]
    return f'<sup class="letters">{"".join(links)}</sup>' if links else ""
