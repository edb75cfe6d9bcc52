"""The topics of the report, a folder each: what is computed, its table, figure and section.

A topic is read in one place and removed by removing its folder. No topic imports another: what two
need lies in :mod:`analysis.data`, :mod:`analysis.statistics` or :mod:`analysis.comparisons`. The
files have the same names in each, and a topic has those that it needs:

``compute.py``
    From the frames of :class:`analysis.data.Data` to those of the topic.
``table.py``
    A function for each file of ``report/tables.yaml``, with its name: ``(Data) -> DataFrame``.
``figure.py``
    A function for each figure of ``report/figures.yaml``, with its name: ``(Data) -> Figure``.
``section.py``, ``section.html.j2``
    What the section of the report, or the rows of the appendix, shows.
``caveats.py``, ``claims.py``
    Rules and tests, which register by being imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from analysis.data import Data
from analysis.results.plan import RowKey
from analysis.writing.grid import Grid

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Detail:
    """A table beside a row of the appendix, behind its title and a few words."""

    title: str
    says: str
    grid: Grid


@dataclass(frozen=True)
class Topic:
    """The face of a topic, ``TOPIC`` in its package: what the pages ask it for.

    `section` gives the values of ``section.html.j2``, None where there is nothing to show;
    `row_details` what the appendix shows beside rows.
    """

    heading: str = ""
    section: Callable[[Data], dict[str, Any] | None] | None = None
    row_details: Callable[[Data], dict[RowKey, Detail]] | None = None


@cache
def topics() -> dict[str, Topic]:
    """Every topic by the name of its folder."""
    names = sorted(module.name for module in iter_modules([str(FOLDER)]) if module.ispkg)
    return {name: import_module(f"{__name__}.{name}").TOPIC for name in names}
