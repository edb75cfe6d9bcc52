"""What steps are spent on, from profiles: a step is the time in which nothing computes and the
times of operations, which add up to the step as it was timed without the profiler.
"""

import numpy as np
import pandas as pd

from analysis.data import CELL, RUN, Data
from analysis.data.operation_groups import Group
from analysis.statistics.grouped import mean_ends
from analysis.statistics.profile import divided

IDLE = "nothing computes"
GROUPS = [str(group) for group in Group]
COUNTS = ["ms", "count", "launched"]  # of an operation, per step
SOFTMAX = "(?i)(?<!fmha)softmax"  # alone it multiplies nothing; cuDNN's fmhaSoftmax does
IDLES = ["idle_ms", "idle_ms_lowest", "idle_ms_highest"]
FACTORS = ["factor", "factor_highest", "factor_lowest"]  # what is not idle computes


def profiler_costs(data: Data) -> pd.DataFrame:
    """A line per cell whose records have blocks that were measured in turns.

    `profiler_slowdown` is a step under the profiler over one without it, the geometric mean over
    runs, or within the only one that was profiled, with its 95 % interval; `slower` the same, and
    at least 1: no profiler makes a step shorter. It is the best estimate whether or not it is shown
    to be above 1, for a cost that is known less well is not a smaller one.
    """
    pairs = data.profiler_pairs.astype({"plain_ms": float, "profiled_ms": float})
    pairs["log"] = np.log(pairs["profiled_ms"] / pairs["plain_ms"])
    several = pairs.groupby(CELL)["run"].transform("nunique") > 1
    by_run = pairs[several].groupby(RUN, sort=False, as_index=False)["log"].mean()
    values = pd.concat([pairs[~several], by_run]).groupby(CELL, sort=False)["log"]
    low, high = mean_ends(values)
    logs = {"profiler_slowdown": values.mean(), "slowdown_low": low, "slowdown_high": high}
    found = np.exp(pd.DataFrame(logs))
    return found.assign(slower=found["profiler_slowdown"].clip(lower=1.0)).reset_index()


def steps(data: Data) -> pd.DataFrame:
    """A line per run whose profile has operations: `step_ms` as it was timed, `idle_ms` in which
    nothing computes, and by what `factor` times of the profile are multiplied to be those of that
    step, both with the `_lowest` and the `_highest` that they may be; the `method` of the profiler
    says what it counts as computing.
    """
    busy = data.operations.groupby(RUN, sort=False)["ms"].sum().rename("busy_ms").reset_index()
    runs = profiles(data).merge(busy, on=RUN)
    times = runs[["timed_ms", "step_ms", "busy_ms", "slower", "on_device"]].astype(float)
    computed = (times["step_ms"] > 0) & (times["busy_ms"] > 0)
    runs, times = runs[computed], times[computed]
    idle_ms, factor = divided(*times.to_numpy().T)
    found = dict(zip(IDLES, idle_ms, strict=True)) | dict(zip(FACTORS, factor, strict=True))
    runs = runs.assign(step_ms=times["timed_ms"], **found)
    return runs[[*RUN, "sitting", "method", "step_ms", "least_ms", *found]]


def profiles(data: Data) -> pd.DataFrame:
    """The profiles, with what the profiler costs their cells.

    A device times its kernels by itself, and no profiler slows these down: of its profiles
    (`on_device`) the step is the timed one, nothing computes in what kernels leave of that, and
    `slower` is that step over those beside the profile, when its clocks may have been others.
    """
    runs = data.profiles.astype({"share": float, "step_ms": float})
    runs = runs.merge(profiler_costs(data), on=CELL, how="left").fillna({"slower": 1.0})
    beside = data.profiler_pairs.astype({"plain_ms": float}).groupby(RUN)["plain_ms"].mean()
    beside_ms = runs[RUN].merge(beside.reset_index(), on=RUN, how="left")["plain_ms"]
    on_device = (runs["accelerator"] != "cpu") & runs["step_ms"].notna()
    slower = (runs["timed_ms"] / beside_ms).astype(float).fillna(1.0)
    return runs.assign(slower=runs["slower"].mask(on_device, slower), on_device=on_device)


def operations(data: Data, runs: pd.DataFrame) -> pd.DataFrame:
    """A line per operation of these runs, in ms of the timed step."""
    found = data.operations.merge(runs[[*RUN, "factor"]], on=RUN)
    return found.assign(ms=found["ms"] * found.pop("factor"))


def fusing_attention(data: Data) -> pd.MultiIndex:
    """Cells in which one operation computes an attention with its products."""
    found = data.operations
    return pd.MultiIndex.from_frame(found.loc[_fused_attention(found), CELL].drop_duplicates())


def _fused_attention(found: pd.DataFrame) -> pd.Series:
    return (found["group"] == Group.ATTENTION) & ~found["name"].astype(str).str.contains(SOFTMAX)


def too_fast(data: Data) -> pd.MultiIndex:
    """Cells whose products and fused attention took less than the FLOPs of their steps take on the
    machine: their profiles count some of that time in other groups, or not at all.
    """
    runs = steps(data)
    found = operations(data, runs)
    multiplies = found[(found["group"] == Group.PRODUCTS) | _fused_attention(found)]
    needed = runs.astype({"least_ms": float}).groupby(CELL)["least_ms"].sum()
    took = multiplies.groupby(CELL)["ms"].sum().reindex(needed.index, fill_value=0.0)
    return needed.index[took < needed]


def cell_operations(data: Data) -> pd.DataFrame:
    """A line per cell and operation of a timed step, the longest first: means over the profiled
    runs, of which one that does not list an operation counts as 0.
    """
    runs = steps(data)
    number = runs.groupby(CELL, sort=False).size().rename("runs").reset_index()
    found = operations(data, runs).groupby([*CELL, "name", "group"], sort=False, as_index=False)
    found = found[COUNTS].sum().merge(number, on=CELL)
    found[COUNTS] = found[COUNTS].div(found.pop("runs"), axis=0)
    return found.sort_values(["ms", "name"], ascending=[False, True])


def cell_parts(data: Data) -> pd.DataFrame:
    """A line per cell, by CELL: mean `step_ms` of the profiled runs, its parts in ms (IDLE and
    GROUPS), and how many operations, on a GPU kernels, are `launched`.
    """
    runs, found = steps(data), cell_operations(data)
    means = runs.groupby(CELL, sort=False)[["step_ms", "idle_ms"]].mean()
    means = means.rename(columns={"idle_ms": IDLE})
    for group in GROUPS:
        means[group] = found[found["group"] == group].groupby(CELL)["ms"].sum()
    means["launched"] = found.groupby(CELL)["launched"].sum()
    return means.astype(float).fillna(0.0)
