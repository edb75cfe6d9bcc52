"""How a step grows with its batch, from steps of other sizes that were timed in the same process.

A step takes t = a + c * batch. The share of a in the step of the table says how much of it does not
grow with the batch; that the time of a sample grows from one size to the next says that t is not
linear.
"""

from typing import Any

import numpy as np
import pandas as pd

from analysis.data import CELL, RUN, Data
from analysis.statistics.grouped import mean_ends
from analysis.statistics.intervals import NS_PER_MS, fixed_cost_ms, t_quantile


def steps(data: Data) -> pd.DataFrame:
    """A line per run and batch size, the run's own (`probe` 0) first; without runs of one size.

    In ms: `ms` of a step, `fastest_ms` of the fastest block and `middle_ms` of the middle one, of
    the run's own size of the step. `error` is the relative standard error of the `blocks`.
    """
    blocks = data.timed_blocks
    other = (blocks["probe"] > 0) & (blocks["samples"] != blocks["batch_size"])
    at_others = other.groupby([blocks[name] for name in RUN]).transform("any").astype(bool)
    blocks = blocks[at_others & (other | (blocks["probe"] == 0))]
    if blocks.empty:
        return pd.DataFrame(columns=[*RUN, "probe", "samples", *MEASURED])
    block_ms = blocks["elapsed_ns"] / blocks["steps"] / NS_PER_MS
    found = blocks.assign(block_ms=block_ms).groupby([*RUN, "probe", "samples"], sort=False)
    found = found.agg(
        steps=("steps", "sum"),
        elapsed_ns=("elapsed_ns", "sum"),
        run_ms=("run_ms", "first"),
        fastest_ms=("block_ms", "min"),
        middle_ms=("block_ms", "median"),
        error=("block_ms", "sem"),
        mean_ms=("block_ms", "mean"),
        blocks=("block_ms", "size"),
    ).reset_index()
    found["error"] /= found["mean_ms"]
    own, step_ms = found["probe"] == 0, found["elapsed_ns"] / found["steps"] / NS_PER_MS
    found["ms"] = found["run_ms"].where(own, step_ms)
    found["middle_ms"] = found["middle_ms"].mask(own, found["ms"])
    return found[[*RUN, "probe", "samples", *MEASURED]]


MEASURED = ["ms", "fastest_ms", "middle_ms", "error", "blocks"]


def fixed_costs(data: Data) -> pd.DataFrame:
    """A line per cell that was timed at other batch sizes: `share`, of a step that does not grow
    with the batch, mean over runs, and `at_least`, the lower end of its 95 % interval: over the
    runs, of a single run by the scatter of its blocks, 0 where nothing tells.

    Of the other sizes of a run the farthest counts, where noise weighs least.
    """
    found = steps(data)
    own, other = found[found["probe"] == 0], found[found["probe"] > 0]
    factor = other["samples"] / other["batch_size"]
    distance = np.maximum(factor, 1 / factor)
    farthest = other.loc[distance.groupby([other[name] for name in RUN]).idxmax()]
    runs = own.merge(farthest, on=RUN, suffixes=("", "_other"))
    sizes = zip(
        runs["batch_size"], runs["ms"], runs["samples_other"], runs["ms_other"], strict=True
    )
    runs["share"] = [fixed_cost_ms(*each) / each[1] for each in sizes]
    cells = runs.groupby(CELL, sort=False)["share"]
    alone = runs[cells.transform("size") == 1].set_index(CELL, drop=False)
    by_blocks = pd.Series(list(map(_at_least, alone.itertuples())), alone.index, dtype=float)
    low, _ = mean_ends(cells)
    return pd.DataFrame({"share": cells.mean(), "at_least": low.fillna(by_blocks)}).reset_index()


def _at_least(run: Any) -> float:
    """The lower end by the scatter of the blocks of both sizes."""
    if run.blocks < 2 or run.blocks_other < 2:
        return 0.0
    longer = np.exp(t_quantile(run.blocks_other - 1) * np.hypot(run.error, run.error_other))
    size = (run.batch_size, run.ms, run.samples_other)
    return min(fixed_cost_ms(*size, run.ms_other * by) / run.ms for by in (longer, 1 / longer))


def sample_growth(data: Data) -> pd.DataFrame:
    """A line per cell that was timed at other batch sizes: by which `factor` a sample takes longer
    at the size `to` than at the next smaller one, `of`: the largest, of the run in which it is
    least.

    Of the larger batch the fastest block counts, of the smaller one the middle: ten steps are few,
    and the machine may have hesitated in some of them.
    """
    found = steps(data).sort_values("samples", kind="stable")
    smaller = found.groupby(RUN)[["samples", "middle_ms"]].shift()
    factor = found["fastest_ms"] / smaller["middle_ms"] * smaller["samples"] / found["samples"]
    found = found.assign(factor=factor.astype(float), to=found["samples"], of=smaller["samples"])
    found = found.dropna(subset=["of"]).astype({"of": int})
    largest = found.loc[found.groupby(RUN)["factor"].idxmax()]
    return largest.loc[largest.groupby(CELL)["factor"].idxmin(), [*CELL, "factor", "to", "of"]]
