"""Which share of a step does not grow with the batch? From other batch sizes of the same process.

A step takes t = a + c * batch. The fixed share is that of a in the step of the table.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from millistep.analysis.frames import CELL, RUN, Data
from millistep.analysis.stats import t_means, with_ends
from millistep.analysis.topics.drawing import draw_lines
from millistep.analysis.topics.probes import of_fullest_runs, timed
from millistep.analysis.words import count, percent

TITLE = "Fixed cost of a step"
HALF = 0.5


def steps(data: Data) -> pd.DataFrame:
    """Return ms/step per run and batch size, of runs with more than one size."""
    found = timed(data)
    found = found[(found["probe"] == 0) | (found["samples"] != found["batch_size"])]
    found = found.assign(ms=(found["elapsed_ns"] / found["steps"] / 1e6).astype(float))
    return found[found.groupby(RUN)["samples"].transform("nunique") > 1]


@lru_cache(maxsize=1)
def table(data: Data) -> pd.DataFrame:
    """Return a line per cell with other batch sizes: its fixed share, of several runs with ends."""
    found = steps(data)
    own = found[found["samples"] == found["batch_size"]]
    other = found[found["samples"] != found["batch_size"]]
    distance = np.log(other["samples"] / other["batch_size"]).abs()
    other = other.loc[distance.groupby([other[name] for name in RUN]).idxmax()]
    pairs = own.merge(other, on=RUN, suffixes=("", "_other"))
    fixed_ms = pairs["ms"] * pairs["samples_other"] - pairs["ms_other"] * pairs["batch_size"]
    pairs["share"] = fixed_ms / (pairs["samples_other"] - pairs["batch_size"]) / pairs["ms"]
    # Clip means, not runs: clipped runs would vary too little.
    shares = with_ends(t_means(pairs.groupby(CELL, sort=False)["share"]))
    shares = shares.rename(columns={"mean": "share"})
    shares[["share", "low", "high"]] = shares[["share", "low", "high"]].clip(0.0, 1.0)
    names = data.planned[[*CELL, "workload", "title"]]
    return shares.rename(columns={"values": "runs"}).reset_index().merge(names, on=CELL)


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'In 3 of 12 cells, at least half of the step does not grow with the
    batch; ...'
    """
    most = table[table["low"] >= HALF].sort_values("share", ascending=False, kind="stable")
    if most.empty:
        return []
    first = most.iloc[0]
    once = " (one run each)" if table["runs"].max() == 1 else ""
    return [
        f"In {len(most)} of {count(len(table), 'cell')}{once}, at least half of the step does not "
        f"grow with the batch; the largest share is {percent(first['share'])}, of {first['title']} "
        f"in {first['workload']}."
    ]


def figure(data: Data, panels: Iterable[Axes]) -> None:
    """Draw ms per sample against the batch size, a panel per workload."""
    found = of_fullest_runs(steps(data), ["samples"])
    found = found.assign(ms=found["ms"] / found["samples"])
    found = found.groupby([*CELL, "samples"], sort=False)["ms"].mean()
    draw_lines(data, found, panels, x="batch size", y="ms per sample")
