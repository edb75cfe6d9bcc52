"""What steps are spent on, from profiles: a step is the time in which nothing computes and the
times of operations, which add up to the step as it was timed without the profiler.
"""

import pandas as pd

from analysis.data import CELL, RUN, Data
from analysis.data.operation_groups import Group
from analysis.statistics.profile import divided
from analysis.topics.why.profiler import profiler_costs

IDLE = "nothing computes"
GROUPS = [str(group) for group in Group]
COUNTS = ["ms", "count", "launched"]  # of an operation, each of a step


def steps(data: Data) -> pd.DataFrame:
    """A line per run whose profile has operations: `step_ms` as it was timed, `idle_ms` in which
    nothing computes, and by what `factor` times of the profile are multiplied to be those of that
    step; the `method` of the profiler says what it counts as computing.
    """
    busy = data.operations.groupby(RUN, sort=False)["ms"].sum().astype(float)
    costs = profiler_costs(data)[[*CELL, "slower"]]
    runs = data.profiles.merge(busy.rename("busy_ms").reset_index(), on=RUN)
    runs = runs.merge(costs, on=CELL, how="left").fillna({"slower": 1.0})
    runs = runs.astype({"step_ms": float, "timed_ms": float})
    runs = runs[(runs["step_ms"] > 0) & (runs["busy_ms"] > 0)]
    times = (runs[name] for name in ("timed_ms", "step_ms", "busy_ms", "slower"))
    idle_ms, factor = divided(*times)
    runs = runs.assign(step_ms=runs["timed_ms"], idle_ms=idle_ms, factor=factor)
    return runs[[*RUN, "sitting", "method", "step_ms", "idle_ms", "factor"]]


def operations(data: Data, runs: pd.DataFrame) -> pd.DataFrame:
    """A line per operation of these runs, in ms of the timed step."""
    found = data.operations.merge(runs[[*RUN, "factor"]], on=RUN)
    return found.assign(ms=found["ms"] * found.pop("factor"))


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
