"""How much longer a step takes under the framework's profiler, where that is shown at all."""

import numpy as np
import pandas as pd

from analysis.data import CELL, RUN, Data
from analysis.statistics.grouped import mean_ends


def profiler_costs(data: Data) -> pd.DataFrame:
    """A line per cell whose records have blocks that were measured in turns.

    `profiler_slowdown` is a step under the profiler over one without it, the geometric mean over
    runs, or within the only one that was profiled, with its 95 % interval; `slower` the same where
    that interval lies above 1, else 1: less than its scatter is no cost.
    """
    pairs = data.profiler_pairs.astype({"plain_ms": float, "profiled_ms": float})
    pairs["log"] = np.log(pairs["profiled_ms"] / pairs["plain_ms"])
    several = pairs.groupby(CELL)["run"].transform("nunique") > 1
    by_run = pairs[several].groupby(RUN, sort=False, as_index=False)["log"].mean()
    values = pd.concat([pairs[~several], by_run]).groupby(CELL, sort=False)["log"]
    low, high = mean_ends(values)
    logs = {"profiler_slowdown": values.mean(), "slowdown_low": low, "slowdown_high": high}
    found = np.exp(pd.DataFrame(logs))
    shown = found["slowdown_low"] > 1
    return found.assign(slower=found["profiler_slowdown"].where(shown, 1.0)).reset_index()
