"""A table as HTML: every number leads to its cell, every letter to a caveat."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.formats.text import html_text
from analysis.results.plan import Column, Row
from analysis.tables.model import Table, TableCell

if TYPE_CHECKING:
    from jinja2 import Template

ELSEWHERE = ("published", "not published")  # what this run knows nothing more about
OURS = "table"  # whose rows say what they measure; the published ones are others'


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
    # The batch size scrolls out of a wide table's view: rows of one title need more.
    rows = [
        {
            "label": row.row.label,
            "measures": row.row.measures.get("short") if table.name == OURS else None,
            "labels": zip(table.label_columns[1:], row.labels[1:], strict=True),
            "cells": [
                _cell(row.row, *each, links) for each in zip(table.columns, row.cells, strict=True)
            ],
        }
        for row in table.rows
    ]
    return _template().render(table=table, rows=rows)


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters |= {"html_text": html_text, "whole_dates": _whole_dates}
    return environment.get_template("table.html.j2")


def _whole_dates(title: str) -> str:
    """A date in it stays on one line."""
    return re.sub(r"\d+(-\d+)+", r'<span class="whole">\g<0></span>', title)


def _cell(row: Row, column: Column, cell: TableCell, links: Links) -> dict[str, Any]:
    ours = cell.status not in ELSEWHERE
    names = ("text", "best", "standing", "standing_mark", "marks", "interval", "badge")
    return {
        **{name: getattr(cell, name) for name in names},
        "title": column.title,
        "kind": f"{cell.status} disturbed" if cell.disturbed else cell.status.replace(" ", "-"),
        "href": links.details(row, column) if ours else "",
        # A footnote says more of its cell than a letter.
        "letters": links.caveats(row, column) if ours and not cell.marks else (),
    }
