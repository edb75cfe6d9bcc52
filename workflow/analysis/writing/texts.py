"""Texts in YAML, with places for numbers: Jinja templates in which `x | percent` spells as
everywhere, and `x | within(low, high)` with its interval. What is missing is NA.

``texts.yaml`` beside the modules that say them has sentences and tables. A sentence is a template.
A table has a `caption` and `columns`: a template for each title, over the records of a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.formats.spelling import known, within
from analysis.formats.text import count, listed, ms, percent, seconds, spelled, times
from analysis.writing.grid import Grid

if TYPE_CHECKING:
    from jinja2 import Template

FILTERS = {spell.__name__: spell for spell in (count, listed, ms, percent, seconds, spelled, times)}


class Texts:
    """Texts beside a module: `Texts(__file__)`."""

    def __init__(self, module: str) -> None:
        self._file = Path(module).with_name("texts.yaml")

    def say(self, name: str, /, **values: Any) -> str:
        """Return a sentence."""
        return template(texts_of(self._file)[name]).render(values)

    def grid(self, name: str, found: pd.DataFrame, /, **values: Any) -> Grid:
        """Return a table with a line per line of the frame; `values` are for its caption too."""
        texts = texts_of(self._file)[name]
        columns = [template(text) for text in texts["columns"].values()]
        lines = tuple(tuple(of.render(line, **values) for of in columns) for line in records(found))
        return Grid(template(texts["caption"]).render(values), tuple(texts["columns"]), lines)


def records(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a frame, with None for what is missing."""
    return found.astype(object).where(found.notna(), None).to_dict("records")


@cache
def texts_of(file: Path) -> dict[str, Any]:
    """Return the entries of a file of texts by their names."""
    import yaml

    return yaml.safe_load(file.read_text(encoding="utf-8"))


@cache
def template(text: str) -> Template:
    """Return a text as a template to be filled in."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined)
    environment.filters |= {name: _or_na(spell) for name, spell in FILTERS.items()}
    environment.filters["within"] = _within
    return environment.from_string(text)


def _or_na(spell: Callable[..., str]) -> Callable[..., str]:
    return lambda value, *more, **how: known(value, lambda one: spell(one, *more, **how))


def _within(value: Any, low: Any, high: Any, unit: str = "times") -> str:
    return within(value, low, high, FILTERS[unit])
