"""Texts in YAML, with places for numbers: Jinja templates in which `x | percent` spells as
everywhere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.formats.text import count, listed, ms, percent, signed_percent, spelled, times

if TYPE_CHECKING:
    from jinja2 import Template

FILTERS = (count, listed, ms, percent, signed_percent, spelled, times)


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
    environment.filters |= {spell.__name__: spell for spell in FILTERS}
    return environment.from_string(text)
