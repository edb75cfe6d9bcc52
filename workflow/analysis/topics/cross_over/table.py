"""cross_over.csv."""

import pandas as pd

from analysis.data import Data
from analysis.statistics.cross_over import ABOVE, BELOW
from analysis.topics.cross_over.compute import COLUMNS, sweeps

OUTSIDE = {BELOW: "below", ABOVE: "above"}  # the measured sizes


def cross_over(data: Data) -> pd.DataFrame:
    """Return a line per framework, net, task and batch size that is planned in several sizes on
    both devices.

    Sizes are in parameters, and are those that both devices measured; an end of the interval may be
    'below' or 'above' them all. They are missing without two sizes, the interval without two runs
    of each.
    """
    found = pd.DataFrame([sweep for sweep, _ in sweeps(data)], columns=COLUMNS, dtype=object)
    whole = found[["parameters", "ci95_low", "ci95_high"]].map(_whole)
    return found.assign(**whole).drop(columns=["label", "title"])


def _whole(size: float | None) -> int | str | None:
    return None if pd.isna(size) else OUTSIDE.get(size) or round(size)
