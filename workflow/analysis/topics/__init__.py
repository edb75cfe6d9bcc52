"""The topics of the report, a folder each: what is computed, its table, figure and section.

A topic is read in one place and removed by removing its folder. No topic imports another: what two
need lies in :mod:`analysis.data`, :mod:`analysis.statistics` or :mod:`analysis.comparisons`. The
files have the same names in each, and a topic has those that it needs:

``compute.py``
    From the frames of :class:`analysis.data.Data` to those of the topic, and a function for each
    file of ``report/tables.yaml``, with its name: ``(Data) -> DataFrame``.
``figure.py``
    A function for each figure of ``report/figures.yaml``, with its name: ``(Data) -> Figure``.
``section.py``, ``section.html.j2``
    What the section of the report, the first page or the rows of the appendix show.
``texts.yaml``
    Its sentences and tables: :mod:`analysis.writing.texts`.
``caveats.py``, ``claims.py``
    Rules and tests, which register by being imported: :func:`load_rules`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from analysis.data import CellKey, Data
from analysis.results.plan import RowKey
from analysis.writing.grid import Grid

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Detail:
    """A table beside a row of the appendix, behind its title and a few words, or in a cell."""

    title: str
    says: str
    grid: Grid


@dataclass(frozen=True)
class KeySentence:
    """A sentence at the top of the report, and the address on it of what it rests on."""

    text: str
    address: str


@dataclass(frozen=True)
class Topic:
    """The face of a topic, ``TOPIC`` in its package: what the pages ask it for.

    `section` gives the values of ``section.html.j2``, None where there is nothing to show;
    `row_details` what the appendix shows beside rows; `key_sentences` what may stand at the top of
    the report, `table_notes` what stands below its first table, `methods` paragraphs of the methods
    text, `cell_facts` terms and texts and `cell_details` a table of cells in the appendix.
    """

    heading: str = ""
    section: Callable[[Data], dict[str, Any] | None] | None = None
    row_details: Callable[[Data], dict[RowKey, Detail]] | None = None
    key_sentences: Callable[[Data], list[KeySentence]] | None = None
    table_notes: Callable[[Data], list[str]] | None = None
    methods: Callable[[Data], list[str]] | None = None
    cell_facts: Callable[[Data], dict[CellKey, list[tuple[str, str]]]] | None = None
    cell_details: Callable[[Data], dict[CellKey, Detail]] | None = None


@cache
def topics() -> dict[str, Topic]:
    """Every topic by the name of its folder."""
    return {name: import_module(f"{__name__}.{name}").TOPIC for name in _names()}


def said(part: str, data: Data) -> dict[str, list[Any]]:
    """Return what the topics that have this part of a face say there, by topic."""
    asked = {name: getattr(topic, part) for name, topic in topics().items()}
    return {name: ask(data) for name, ask in asked.items() if ask}


def load_rules() -> None:
    """Register the caveats and the tests of claims of every topic."""
    for name in _names():
        for module in ("caveats", "claims"):
            if (FOLDER / name / f"{module}.py").exists():
                import_module(f"{__name__}.{name}.{module}")


def _names() -> list[str]:
    return sorted(module.name for module in iter_modules([str(FOLDER)]) if module.ispkg)
