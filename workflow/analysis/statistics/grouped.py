"""Statistics of groups of numbers, from a pandas groupby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.statistics.intervals import t_quantile

if TYPE_CHECKING:
    import pandas as pd


def mean_ends(groups: pd.api.typing.SeriesGroupBy) -> tuple[pd.Series, pd.Series]:
    """Return both ends of the 95 % Student t interval of the mean of each group, by its key;
    missing below two values.
    """
    number, mean = groups.count(), groups.mean()
    half = (number - 1).map(t_quantile) * groups.std() / number**0.5
    return mean - half, mean + half
