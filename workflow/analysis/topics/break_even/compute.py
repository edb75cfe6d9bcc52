"""Break-even: after how many steps the framework with the shorter step is ahead for good, although
it starts later (importing, building, compiling).

The time to N steps is start-up and N times ms/step. Start-up is what came on top of the steps, in
one of two readings:

from the first step: first step and warm-up, less as many steps at the final speed; what a program
pays again whenever it compiles anew;

from the start of the process: importing the framework and building model, weights and inputs too.

What a compiler keeps on disk is cold for a user once and warm from the second process on: the cost
of a cold start is of cold runs alone, that of a warm one of warm runs alone. What keeps nothing
starts alike every time, and all its runs tell both.

Tracing and compiling lie in the first step or in the warm-up. The formula holds from the end of the
warm-up on (two or three steps); before, only the first step is known.
"""

import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.statistics.intervals import t_quantile
from analysis.statistics.mean_ratio import of_sum
from analysis.statistics.overtaking import steps_to_overtake

CACHES = ["cold", "warm"]  # what a start may find on disk
NOTHING_KEPT = ["none"]
TIMING = ["import_s", "build_s", "first_step_s", "warmup_s", "warmup_steps", "compile_cache"]
SIDES = ("faster", "slower")
READINGS = {"first step": "start_up_s", "process start": "whole_start_up_s"}


def break_even(data: Data) -> pd.DataFrame:
    """Return break_evens; `caches` is NA where neither column keeps anything on disk."""
    return break_evens(data).replace({"caches": {"none": None}})


def costs(data: Data) -> pd.DataFrame:
    """A line per measured cell and kind of start (`caches`: cold, warm, none) that its runs tell.

    Seconds: `first_step_s`, `start_up_s` from the first step on (below 0 by the noise of the
    warm-up), `whole_start_up_s` from the start of the process, means over the runs of that kind,
    with the `_variance` of the mean, missing of a single run, and its degrees of `freedom`;
    `step_s` and `keeps`, whether a compiler keeps anything, are of the cell.
    """
    runs = data.ok_runs.rename(columns=lambda name: name.removeprefix("timing."))
    runs = runs.reindex(columns=[*CELL, "ms_per_step", *TIMING])
    late_s = runs["first_step_s"] + runs["warmup_s"]
    runs["start_up_s"] = late_s - runs["warmup_steps"] * runs["ms_per_step"] / 1000
    runs["whole_start_up_s"] = runs["start_up_s"] + runs["import_s"] + runs["build_s"]
    any_kind = runs["compile_cache"].isna()
    told = {kind: any_kind | (runs["compile_cache"] == kind) for kind in CACHES}
    told["none"] = any_kind
    seconds = ["first_step_s", *READINGS.values()]
    found = pd.concat([runs[tells].assign(caches=kind) for kind, tells in told.items()])
    found = found.astype(dict.fromkeys(seconds, float))
    starts = found.groupby([*CELL, "caches"], sort=False)[seconds]
    variances = (starts.sem() ** 2).add_suffix("_variance")
    freedom = (starts.size() - 1).rename("freedom")
    found = starts.mean().join([variances, freedom]).reset_index()
    keeps = (~any_kind).groupby([runs[name] for name in CELL], sort=False).any().rename("keeps")
    found = found.merge(keeps.reset_index(), on=CELL).merge(data.cells[[*CELL, "step_ms"]], on=CELL)
    return found.assign(step_s=found.pop("step_ms").astype(float) / 1000)


def break_evens(data: Data) -> pd.DataFrame:
    """A line per reading (`counted_from`), pair of cells of a row, the faster one first, and kind
    of start.

    `steps` is the number after which the faster one is ahead for good, 1 when it is never behind,
    missing where such a start was not measured. `ci95_low_steps` and `ci95_high_steps` are those at
    the ends of both 95 % intervals, of the ratio of their steps and of how much later it starts
    (Welch's); the high one is missing when the first does not exclude equal steps, both without an
    interval, as where a start is of a single run.
    """
    cost = costs(data)
    pairs = _with_kinds(data.ratios[data.ratios["ratio"] > 1], cost)
    for side in SIDES:
        names = {name: f"{side}_{name}" for name in cost.columns.drop([*CELL, "caches", "keeps"])}
        of_side = cost[[*CELL, "caches", *names]].rename(columns={**names, "column": side})
        pairs = pairs.merge(of_side, on=[*ROW, side, "caches"], how="left")
    found = pd.concat([_counted(pairs, *reading) for reading in READINGS.items()])
    place = found.groupby(ROW, sort=False).ngroup()
    return found.iloc[place.argsort(kind="stable")].reset_index(drop=True)


def _with_kinds(pairs: pd.DataFrame, cost: pd.DataFrame) -> pd.DataFrame:
    """Each pair once for every kind of start that it may have."""
    keeping = set(cost[cost["keeps"]][CELL].itertuples(index=False, name=None))
    kinds = [
        CACHES if {(*row, faster), (*row, slower)} & keeping else NOTHING_KEPT
        for *row, faster, slower in pairs[[*ROW, "faster", "slower"]].itertuples(index=False)
    ]
    return pairs.assign(caches=pd.Series(kinds, index=pairs.index, dtype=object)).explode("caches")


def _counted(pairs: pd.DataFrame, reading: str, start_up: str) -> pd.DataFrame:
    late_s = pairs[f"faster_{start_up}"] - pairs[f"slower_{start_up}"]
    half_s = _half_width(pairs, start_up)
    ends = {
        "steps": (late_s, "ratio"),
        "ci95_low_steps": (late_s - half_s, "ci95_high"),
        "ci95_high_steps": (late_s + half_s, "ci95_low"),
    }
    steps = {
        name: pd.array(steps_to_overtake(late, pairs["faster_step_s"], pairs[ratio]), "Int64")
        for name, (late, ratio) in ends.items()
    }
    return pairs[[*ROW, "faster", "slower", "caches"]].assign(counted_from=reading, **steps)


def _half_width(pairs: pd.DataFrame, start_up: str) -> pd.Series:
    """Of Welch's interval of the difference of two starts; missing where either was made once."""
    names = [f"{side}_{name}" for side in SIDES for name in (f"{start_up}_variance", "freedom")]
    known = pairs[names].dropna()
    sums = [of_sum([each[:2], each[2:]]) for each in known.itertuples(index=False, name=None)]
    half = [error * t_quantile(freedom) for error, freedom in sums]
    return pd.Series(half, known.index, dtype=float).reindex(pairs.index)
