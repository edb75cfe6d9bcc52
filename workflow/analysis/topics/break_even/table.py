"""break_even.csv."""

import pandas as pd

from analysis.data import Data
from analysis.topics.break_even.compute import break_evens


def break_even(data: Data) -> pd.DataFrame:
    """A line per pair of columns of a row, reading of start-up and what was on disk at the start
    (cold, warm, NA where neither column keeps anything there).

    The steps are NA where such a start was not measured. The high end is NA where the runs do not
    show that it ever happens, both without an interval.
    """
    return break_evens(data).replace({"caches": {"none": None}})
