"""Statistics of groups of the lines of a frame, and which runs of a cell may be averaged side by
side, where some timed more than others.
"""

from collections.abc import Sequence

import pandas as pd

from analysis.statistics.intervals import t_quantile


def mean_ends(groups: pd.api.typing.SeriesGroupBy) -> tuple[pd.Series, pd.Series]:
    """Return both ends of the 95 % Student t interval of the mean of each group, by its key;
    missing below two values.
    """
    number, mean = groups.count(), groups.mean()
    half = (number - 1).map(t_quantile) * groups.std() / number**0.5
    return mean - half, mean + half


def of_fullest_runs(timed: pd.DataFrame, cell: Sequence[str], kind: Sequence[str]) -> pd.DataFrame:
    """Keep the lines of those runs that timed what the one with the most of their cell did.

    A line of `timed` is of a `run` of a cell, which the columns `cell` name, and of a kind, which
    the columns `kind` name. Another run would move the means of some kinds alone, by whatever runs
    differ in.
    """
    if timed.empty:
        return timed
    kinds = pd.Series(list(timed[list(kind)].itertuples(index=False, name=None)), timed.index)
    by_run = kinds.groupby([timed[name] for name in (*cell, "run")], sort=False).agg(frozenset)
    by_cell = by_run.map(len).groupby(level=list(cell), sort=False)
    most = {run[:-1]: by_run[run] for run in by_cell.idxmax()}
    kept = [run for run, found in by_run.items() if found == most[run[:-1]]]
    return timed[pd.MultiIndex.from_frame(timed[[*cell, "run"]]).isin(kept)]
