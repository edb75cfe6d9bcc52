"""How a step grows with its batch, from steps of other sizes that were timed in the same process.

A step takes t = a + c * batch. The share of a in the step of the table says how much of it does not
grow with the batch.
"""

from typing import Any

import numpy as np
import pandas as pd

from analysis.data import CELL, RUN, Data
from analysis.statistics.grouped import mean_ends
from analysis.statistics.intervals import NS_PER_MS, t_quantile


def steps(data: Data) -> pd.DataFrame:
    """A line per run and batch size, the run's own (`probe` 0) first; without runs of one size.

    `ms` is that of a step, `error` the relative standard error of the `blocks`.
    """
    blocks = data.timed_blocks
    other = (blocks["probe"] > 0) & (blocks["samples"] != blocks["batch_size"])
    at_others = other.groupby([blocks[name] for name in RUN]).transform("any").astype(bool)
    blocks = blocks[at_others & (other | (blocks["probe"] == 0))]
    block_ms = (blocks["elapsed_ns"] / blocks["steps"] / NS_PER_MS).astype(float)
    found = blocks.assign(block_ms=block_ms).groupby([*RUN, "probe", "samples"], sort=False)
    own = found["probe"].first() == 0
    each = found["block_ms"]
    step_ms = found["elapsed_ns"].sum() / found["steps"].sum() / NS_PER_MS
    measured = {
        "ms": found["run_ms"].first().where(own, step_ms),
        "error": each.sem() / each.mean(),
        "blocks": each.size(),
    }
    return pd.DataFrame(measured).reset_index()


def fixed_costs(data: Data) -> pd.DataFrame:
    """A line per cell that was timed at other batch sizes: `share`, of a step that does not grow
    with the batch, mean over so many `runs`, and `at_least`: the lower end of its 95 % interval
    over them; of a single one what the scatter of its blocks leaves, which says nothing of another
    process, 0 where nothing tells.

    Of the other sizes of a run the farthest counts, where noise weighs least.
    """
    found = steps(data)
    own, other = found[found["probe"] == 0], found[found["probe"] > 0]
    factor = other["samples"] / other["batch_size"]
    distance = np.maximum(factor, 1 / factor)
    farthest = other.loc[distance.groupby([other[name] for name in RUN]).idxmax()]
    runs = own.merge(farthest, on=RUN, suffixes=("", "_other"))
    error = np.hypot(runs["error"], runs["error_other"])
    longer = np.exp((runs["blocks_other"] - 1).map(t_quantile) * error)
    sizes = (runs["batch_size"], runs["ms"], runs["samples_other"])
    runs["share"], *ends = (
        fixed_share(*sizes, runs["ms_other"] * by) for by in (1.0, longer, 1 / longer)
    )
    runs["by_blocks"] = np.minimum(*ends).fillna(0.0)
    cells = runs.groupby(CELL, sort=False)
    at_least = mean_ends(cells["share"])[0].fillna(cells["by_blocks"].first())
    # A share beyond 0 or 1 is noise, or another size that left a cache, or was no slower. The means
    # are clipped and not the runs, whose scatter would seem smaller.
    found = pd.DataFrame({"share": cells["share"].mean(), "at_least": at_least}).clip(0.0, 1.0)
    return found.assign(runs=cells.size()).reset_index()


def fixed_share(batch: Any, step_ms: Any, other_batch: Any, other_ms: Any) -> Any:
    """The share of a step that does not grow with the batch, from t = a + c * batch through two
    points; of numbers, or of columns.
    """
    return (step_ms * other_batch - other_ms * batch) / (other_batch - batch) / step_ms
