"""The topics of the report, a folder each: what is computed, its table, figure and section.

A topic is read in one place and removed by removing its folder. No topic imports another: what two
need lies in :mod:`analysis.data`, :mod:`analysis.statistics` or :mod:`analysis.comparisons`. The
files have the same names in each, and a topic has those that it needs:

``compute.py``
    From the frames of :class:`analysis.data.Data` to those of the topic, and a function for each
    file of ``report/tables.yaml``, with its name: ``(Data) -> DataFrame``.
``figure.py``
    A function for each figure of ``report/figures.yaml``, with its name: ``(Data) -> Figure``.
``section.py``, ``cells.py``
    A function of :class:`Data` for each of these that the topic has, which the pages ask for by its
    name: `section`, the values of ``section.html.j2``, None where there is nothing to show;
    `key_sentences` that may stand at the top of the report, `table_notes` below its first table,
    `methods`, paragraphs of the methods text; for the appendix `row_details`, a :class:`Detail` by
    row, `cell_facts`, terms and texts by cell, and `cell_details`, a :class:`Detail` by cell.
``texts.yaml``
    Its sentences and tables: :mod:`analysis.writing.texts`; ``heading`` is that of its section.
``caveats.py``, ``claims.py``
    Rules and tests, which register by being imported: :func:`load_rules`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from analysis.data import Data
from analysis.writing.grid import Grid
from analysis.writing.texts import texts_of

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


@cache
def offered(part: str) -> dict[str, Callable[[Data], Any]]:
    """The functions of this name that topics have for the pages, by topic."""
    modules = _modules("section", "cells")
    return {name: vars(module)[part] for name, module in modules if part in vars(module)}


def said(part: str, data: Data) -> dict[str, Any]:
    """What the topics that have this part say there, by topic."""
    return {name: say(data) for name, say in offered(part).items()}


def heading(name: str) -> str:
    """The heading of the section of a topic."""
    return texts_of(FOLDER / name / "texts.yaml")["heading"]


def load_rules() -> None:
    """Register the caveats and the tests of claims of every topic."""
    list(_modules("caveats", "claims"))


def _modules(*names: str) -> Iterator[tuple[str, ModuleType]]:
    """Yield each topic's modules of these names, as far as it has them."""
    for topic in sorted(module.name for module in iter_modules([str(FOLDER)]) if module.ispkg):
        for name in names:
            if (FOLDER / topic / f"{name}.py").exists():
                yield topic, import_module(f"{__name__}.{topic}.{name}")
