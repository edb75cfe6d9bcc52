"""What a faster host language could bring, as far as a profile tells: the time in which no
operation computes, as a share of a step, gives 1 / (1 - share).

It is about a faster host alone, not a better kernel. Where a profiler sees a compiled graph as one
operation, it counts as computing as a whole. On a GPU kernels are timed by the device; where steps
beside the profile took another time than the timed ones, kernels may have done so, too. On a
processor what a profiler adds to a step lies between operations or within them. The interval of the
share, over runs, reaches from the one to the other. Where other work took the processors a step
waits for them, and one that was not steady has no time: of such cells nothing is said.
"""

import pandas as pd

from analysis.data import CELL, Data
from analysis.statistics.ceiling import gain_of
from analysis.statistics.grouped import mean_ends
from analysis.statistics.profile import idle_ends
from analysis.topics.why.compute import profiles

GRAPH = r"^Compiled(?:FxGraph|Function)"  # PyTorch's, of which no kernel was named
COSTS = ["profiler_slowdown", "slowdown_low", "slowdown_high"]


def ceilings(data: Data) -> pd.DataFrame:
    """Return a line per profiled cell that may be compared: how many `runs` were profiled, the
    `share` of a step in which nothing computes, and the `ceiling`, how many times as fast it could
    be, inf where nothing computes at all: means over these runs with 95 % intervals, which are
    missing without several runs; and what the profiler costs, a step under it over one without.
    """
    runs = _profiled(data, comparable=True)
    ends = idle_ends(runs["share"], runs["slower"], runs["on_device"])
    runs["lowest"], runs["highest"] = ends
    cells = runs.groupby(CELL, sort=False)
    found = cells.agg(runs=("run", "size"), share=("share", "mean"))
    found["ci95_low"] = mean_ends(cells["lowest"])[0].clip(lower=0.0)
    found["ci95_high"] = mean_ends(cells["highest"])[1].clip(upper=1.0)
    for name, share in (("", "share"), ("_low", "ci95_low"), ("_high", "ci95_high")):
        found[f"ceiling{name}"] = found[share].map(gain_of, na_action="ignore")
    return found.join(cells[COSTS].first()).reset_index()


def whole_graphs(data: Data) -> int:
    """The number of cells in which a profiler saw compiled graphs as one operation each."""
    names = data.operations["name"].astype(str)
    return len(data.operations[names.str.contains(GRAPH)].drop_duplicates(CELL))


def withheld(data: Data) -> pd.DataFrame:
    """Profiled cells of which nothing is said, because they were disturbed or not steady."""
    return _profiled(data, comparable=False).drop_duplicates(CELL)


def _profiled(data: Data, comparable: bool) -> pd.DataFrame:
    cells = data.cells[[*CELL, "row_label", "column_title", "comparable"]]
    return profiles(data).merge(cells[cells["comparable"] == comparable], on=CELL)
