"""Numbers in words: what is missing (None, NaN) is NA, an interval stands behind its value."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from analysis.formats.text import NA, times

Spell = Callable[[Any], str]


def known(value: Any, spell: Spell = str) -> str:
    """A value as text; NA where it is missing."""
    return NA if pd.api.types.is_scalar(value) and pd.isna(value) else spell(value)


def each_known(values: Iterable[Any], spell: Spell = str) -> list[str]:
    """Several values as texts; NA where one is missing."""
    return [known(value, spell) for value in values]


def within(value: Any, low: Any, high: Any, spell: Spell = times) -> str:
    """A value in its interval: '7.05× [6.90×, 7.20×]'; no brackets where the ends are missing."""
    ends = "" if pd.isna(low) else f" [{spell(low)}, {spell(high)}]"
    return known(value, lambda number: spell(number) + ends)
