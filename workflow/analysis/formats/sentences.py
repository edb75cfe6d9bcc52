"""Texts in YAML, with places for numbers: Jinja templates in which `x | percent` spells as
everywhere, and `x | within(low, high)` with its interval. What is missing is NA.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.formats.spelling import known, within
from analysis.formats.text import (
    count,
    listed,
    ms,
    percent,
    seconds,
    signed_percent,
    spelled,
    times,
)

if TYPE_CHECKING:
    from jinja2 import Template

FILTERS = {
    spell.__name__: spell
    for spell in (count, listed, ms, percent, seconds, signed_percent, spelled, times)
}


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
    return lambda value, *more: known(value, lambda one: spell(one, *more))


def _within(value: Any, low: Any, high: Any, unit: str = "times") -> str:
    return within(value, low, high, FILTERS[unit])
