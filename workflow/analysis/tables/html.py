"""A table as HTML: every number leads to its cell, every letter to a caveat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.caveats.groups import Group
from analysis.results.plan import Column, Row
from analysis.tables.model import Table
from analysis.writing.rendering import template

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Links:
    """The links of a cell of this run: the address of its details, and the caveats on it."""

    details: Callable[[Row, Column], str] = lambda row, column: ""
    caveats: Callable[[Row, Column], Sequence[Group]] = lambda row, column: ()


NOWHERE = Links()


def to_html(table: Table, links: Links = NOWHERE) -> Markup:
    """A table element with scopes and a caption, then its footnotes; ids start with its name."""
    from markupsafe import Markup

    return Markup(template("table.html.j2").render(table=table, links=links))
