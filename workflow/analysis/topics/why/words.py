"""How factors with their intervals, and cells, are written in this topic."""

from typing import Any

import pandas as pd

from analysis.formats.text import NA, times_within
from analysis.statistics.intervals import Interval


def factor_text(value: float, low: float, high: float) -> str:
    """'1.31× [1.20×, 1.40×]', without an interval where its ends are missing."""
    if pd.isna(value):
        return NA
    return times_within(value, None if pd.isna(low) else Interval(low, high))


def ceiling_text(found: Any) -> str:
    """The ceiling of a line of `ceilings`."""
    return factor_text(found.ceiling, found.ceiling_low, found.ceiling_high)


def slowdown_text(found: Any) -> str:
    """What the profiler costs, of a line that has it."""
    return factor_text(found.profiler_slowdown, found.slowdown_low, found.slowdown_high)


def label(found: Any) -> str:
    """'BERT fit on Keras 3 (JAX)'."""
    return f"{found.row_label} on {found.column_title}"
