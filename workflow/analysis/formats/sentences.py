"""Texts in YAML, with places for numbers: Jinja templates in which `x | percent` spells as
everywhere, and `x | within(low, high)` with its interval. What is None is NA.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.formats.text import (
    NA,
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
    """Return a sentence to be filled in."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined)
    spells = {**FILTERS, "within": _within}
    environment.filters |= {name: _or_na(spell) for name, spell in spells.items()}
    return environment.from_string(text)


def _within(value: float, low: float | None, high: float | None, unit: str = "times") -> str:
    """'7.05× [6.90×, 7.20×]', without brackets where the ends are missing."""
    spell = FILTERS[unit]
    return spell(value) + ("" if low is None else f" [{spell(low)}, {spell(high)}]")


def _or_na(spell: Callable[..., str]) -> Callable[..., str]:
    return lambda value, *more: NA if value is None else spell(value, *more)
