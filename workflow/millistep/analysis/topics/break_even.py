"""After how many steps is the configuration with the shorter step ahead, although it starts later?

The time to N steps is the start-up plus N times ms/step. The start-up is counted in two ways: from
the first step (first step and warm-up, less as many steps at the final speed), or from the start of
the process (import and build added). A compile cache on disk may be cold or warm; a configuration
that keeps none starts alike in both cases.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy import stats

from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.topics.drawing import draw_lines
from millistep.analysis.words import count

TITLE = "Break-even"
READINGS = {"first step": "first_s", "process start": "whole_s"}
SIDES = ["faster", "slower"]
TIMING = ["import_s", "build_s", "first_step_s", "warmup_s", "warmup_steps", "compile_cache"]
COLUMNS = [*WORKLOAD, "workload", *SIDES, "caches", "counted_from", "steps", "low", "high"]
COLUMNS += ["ratio_low"]
STEPS = np.logspace(0, 5, 41)


def starts(data: Data) -> pd.DataFrame:
    """Return seconds of a start per cell and state of the cache, with `_var` of their means.

    Starts in parallel with others do not count.
    """
    alone = data.runs["timing.start_alone"].eq(True)
    runs = data.runs[data.runs["ok"] & alone].rename(
        columns=lambda name: name.removeprefix("timing.")
    )
    runs = runs.reindex(columns=[*CELL, "ms_per_step", *TIMING])
    late_s = runs["first_step_s"] + runs["warmup_s"]
    runs["first_s"] = late_s - runs["warmup_steps"] * runs["ms_per_step"] / 1000
    runs["whole_s"] = runs["first_s"] + runs["import_s"] + runs["build_s"]
    known = runs["compile_cache"].notna()
    runs["keeps"] = known.groupby([runs[name] for name in CELL]).transform("any")
    runs["caches"] = (
        runs["compile_cache"]
        .astype(object)
        .map(lambda cache: [cache] if isinstance(cache, str) else ["cold", "warm", "none"])
    )
    runs = runs.explode("caches").dropna(subset="whole_s")
    seconds = ["first_step_s", *READINGS.values()]
    groups = runs.groupby([*CELL, "caches", "keeps"], sort=False)[seconds]
    found = groups.mean().join((groups.sem() ** 2).add_suffix("_var"))
    found = found.join(groups.size().rename("runs")).reset_index()
    return found.merge(data.cells[[*CELL, "ms"]], on=CELL)


def table(data: Data) -> pd.DataFrame:
    """Return the steps after which the faster cell of each pair is ahead for good, at least 1.

    Ends are missing if a start was measured once; `high` too if equal steps are not excluded.
    """
    start = starts(data)
    pairs = data.ratios[data.ratios["ratio"] > 1]
    pairs = pairs.rename(columns={"base": "faster", "configuration": "slower"})
    for side in SIDES:
        names = {name: f"{name}_{side}" for name in start if name not in [*WORKLOAD, "caches"]}
        names["configuration"] = side
        keys = [*WORKLOAD, side, *(["caches"] if "caches" in pairs else [])]
        pairs = pairs.merge(start.rename(columns=names), on=keys)
    keeps = pairs["keeps_faster"] | pairs["keeps_slower"]
    pairs = pairs[keeps == (pairs["caches"] != "none")]
    found = pd.concat([_counted(pairs, *reading) for reading in READINGS.items()])
    return found.merge(data.workloads[[*WORKLOAD, "workload"]], on=WORKLOAD)[COLUMNS]


def _counted(pairs: pd.DataFrame, counted_from: str, seconds: str) -> pd.DataFrame:
    """Return the steps by one reading of the start."""
    late_s = pairs[f"{seconds}_faster"] - pairs[f"{seconds}_slower"]
    variances = [pairs[f"{seconds}_var_{side}"] for side in SIDES]
    runs = [pairs[f"runs_{side}"] for side in SIDES]
    with np.errstate(divide="ignore", invalid="ignore"):
        spent = sum(var**2 / (number - 1) for var, number in zip(variances, runs, strict=True))
        freedom = sum(variances) ** 2 / spent
    half_s = np.sqrt(sum(variances)) * stats.t.ppf(0.975, freedom)
    step_s = pairs["ms_faster"] / 1000
    steps = {
        "steps": overtaken(late_s, step_s, pairs["ratio"]),
        "low": overtaken(late_s - half_s, step_s, pairs["high"]),
        "high": overtaken(late_s + half_s, step_s, pairs["low"]),
    }
    keys = pairs[[*WORKLOAD, *SIDES, "caches"]]
    return keys.assign(counted_from=counted_from, **steps, ratio_low=pairs["low"])


def overtaken(late_s: pd.Series, step_s: pd.Series, ratio: pd.Series) -> pd.Series:
    """Return the first step after which a start that is `late_s` later, with `step_s`, is ahead.

    Each of its steps gains (ratio - 1) of its own time; missing if it gains nothing.
    """
    gained_s = step_s * (ratio - 1)
    steps = (np.floor(late_s / gained_s) + 1).clip(lower=1)
    return steps.where(gained_s > 0).astype("Int64")


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'In 12 of 60 pairs with different steps, the configuration with the
    shorter step starts later; ...'
    """
    differ = table["ratio_low"] > 1  # otherwise the noise decides which step is the shorter one
    found = table[differ & (table["counted_from"] == "first step")].dropna(subset="steps")
    # A pair counts once: with cold caches if it was measured so.
    found = found.sort_values("caches", kind="stable").drop_duplicates([*WORKLOAD, *SIDES])
    behind = found[found["steps"] > 1]
    if behind.empty:
        return []
    pairs, steps = count(len(found), "pair"), count(int(behind["steps"].median()), "step")
    ahead = "it is ahead" if len(behind) == 1 else "half of them are ahead"
    text = (
        f"In {len(behind)} of {pairs} with different steps, the configuration with the shorter "
        f"step starts later; {ahead} after {steps}."
    )
    return [text]


def figure(data: Data, panels: Iterable[Axes]) -> None:
    """Draw the seconds to N steps from the first step on, a panel per workload, logarithmic."""
    start = starts(data)
    start = start[start["keeps"] == (start["caches"] != "none")]
    lines = start.assign(steps=[STEPS] * len(start)).explode("steps")
    at_speed = lines["first_s"] + lines["steps"].astype(float) * lines["ms"] / 1000
    lines["seconds"] = np.maximum(lines["first_step_s"], at_speed)
    means = lines.groupby([*CELL, "steps"], sort=False)["seconds"].min()
    draw_lines(data, means, panels, x="steps N", y="time to N steps, s")
