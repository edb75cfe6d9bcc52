"""The parts of the difference between a column and the fastest of its row on the same library
versions.

From profiles of both, round by round. Where in a step the time lies that its profiler adds is not
known, and may be another place in another column: every part has the lowest and the highest
difference that rounds and this leave open.

Where one profiler named the operations of both, those of one name are the same. Of one that took
a ms in n calls here and b ms in m there, it is slower by min(n, m) (b/m - a/n), and what one has
more of, or alone, is the rest of b - a. A compiler's piece and a library's operation are not one
thing under two names: between profilers that see these nothing is said of single operations.
"""

import pandas as pd

from analysis.data import CELL, ROW, RUN, Data
from analysis.results.profiles import REST
from analysis.statistics.profile import longer_ms
from analysis.topics.why.compute import COUNTS, GROUPS, IDLE, operations, steps

STEP = "step"
PARTS = [STEP, IDLE, *GROUPS]
STACK = [*ROW, "stack"]  # columns that compete
PAIR = [*ROW, "fastest", "column"]
TIMES = ["fastest_ms", "column_ms"]
SPLIT = ["same_operations_ms", "other_operations_ms"]
LOWEST = ["lowest_ms", "same_lowest_ms", "other_lowest_ms"]  # of the difference and of SPLIT
HIGHEST = [name.replace("lowest", "highest") for name in LOWEST]
# A difference is lowest where the column's own time is, and that of the fastest is highest.
ENDS = [(LOWEST, "lowest", "highest"), (HIGHEST, "highest", "lowest")]
LAUNCHED = ["fastest_launched", "column_launched"]
COLUMNS = [*PAIR, "standing", "part", *TIMES, "difference_ms", "lowest_ms", "highest_ms", *SPLIT]
COLUMNS += [*LAUNCHED, "rounds"]


def why(data: Data) -> pd.DataFrame:
    """Return a line per column and part: the whole step, the time in which nothing computes, and
    each group of operations.

    Means over the rounds that have profiles of both, the differences with the lowest and the
    highest that they may be.
    """
    return differences(data)[COLUMNS]


def fastest(data: Data) -> pd.DataFrame:
    """A line per measured cell of a row, those that compete beside each other: its `fastest` is
    the column with the lowest mean among them that may be compared, missing where none may.
    """
    measured = data.cells[data.cells["ok_runs"] > 0].astype({"step_ms": float})
    order = measured.groupby(STACK, dropna=False, sort=False).ngroup()
    measured = measured.loc[order.sort_values(kind="stable").index]
    rivals = measured[measured["comparable"].astype(bool)]
    lowest = rivals.groupby(STACK, dropna=False, sort=False)["step_ms"].idxmin()
    best = rivals.loc[lowest, [*STACK, "column"]].rename(columns={"column": "fastest"})
    return measured.merge(best, on=STACK, how="left")


def differences(data: Data) -> pd.DataFrame:
    """A line per column that may be compared with the fastest, and part of a step (PARTS): means
    over the rounds that have profiles of both, the difference with the lowest and the highest that
    it may be.

    `same_operations_ms` is what operations that both have take longer, `other_operations_ms` what
    more of them, or fewer, take; both missing where they are not named alike.
    """
    runs = steps(data)
    rounds = _rounds(data, runs)
    found = _parts(data, rounds, runs).join(rounds[PAIR]).sort_index(kind="stable")
    found["difference_ms"] = found["column_ms"] - found["fastest_ms"]
    means = [*TIMES, "difference_ms", *SPLIT, *LAUNCHED]
    found = found.groupby([*PAIR, "part"], sort=False, as_index=False).agg(
        **{name: (name, "mean") for name in means},
        **{name: (name, "min") for name in LOWEST},
        **{name: (name, "max") for name in HIGHEST},
        rounds=("difference_ms", "size"),
    )
    return found.merge(data.cells[[*CELL, "standing"]], on=CELL, how="left")


def _rounds(data: Data, runs: pd.DataFrame) -> pd.DataFrame:
    """A line per column and round with profiles of both; columns on the fastest end in `_base`.

    `alike` says whether one profiler named the operations of both in all rounds.
    """
    cells = fastest(data)
    cells = cells[cells["comparable"].astype(bool) & (cells["column"] != cells["fastest"])]
    found = cells[PAIR].merge(runs, on=CELL)
    base = runs.rename(columns={"column": "fastest"})
    found = found.merge(base, on=[*ROW, "fastest", "sitting"], suffixes=("", "_base"))
    found.index.name = "round"
    same = found["method"] == found["method_base"]
    return found.assign(alike=same.groupby([found[name] for name in PAIR]).transform("all"))


def _parts(data: Data, rounds: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """A line per round and part of a step."""
    groups = _groups(rounds, operations(data, runs))
    step = groups.groupby(level="round")[[*SPLIT, *LOWEST, *HIGHEST, *LAUNCHED]].sum()
    more_ms = rounds["step_ms"] - rounds["step_ms_base"]
    step = step.assign(part=STEP, fastest_ms=rounds["step_ms_base"], column_ms=rounds["step_ms"])
    step = step.assign(lowest_ms=more_ms, highest_ms=more_ms)
    idle = rounds[["idle_ms_base", "idle_ms"]].set_axis(TIMES, axis=1).assign(part=IDLE)
    for names, end, of_base in ENDS:
        idle[names[0]] = rounds[f"idle_ms_{end}"] - rounds[f"idle_ms_{of_base}_base"]
    found = pd.concat([step, idle, groups.reset_index("part")])
    alike = rounds["alike"].reindex(found.index).astype(bool)
    split = [*SPLIT, *LOWEST[1:], *HIGHEST[1:]]
    return found.assign(**{name: found[name].where(alike) for name in split})


def _groups(rounds: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """A line per round and group of operations: ms, the lowest and the highest difference, how many
    were launched, and the split.
    """
    of_round = rounds.reset_index()
    column = of_round[["round", *RUN]].merge(found, on=RUN)
    base = of_round[["round", *ROW, "fastest", "run_base"]].set_axis(["round", *RUN], axis=1)
    base, key = base.merge(found, on=RUN), ["round", "name", "group"]
    both = base[[*key, *COUNTS]].merge(
        column[[*key, *COUNTS]], on=key, how="outer", suffixes=("_base", "")
    )
    counts = [*(f"{name}_base" for name in COUNTS), *COUNTS]
    both[counts] = both[counts].astype(float).fillna(0.0)
    both[SPLIT] = _split(both)
    of = rounds.loc[both["round"]].set_axis(both.index)
    for names, end, of_base in ENDS:
        scaled = both.assign(
            ms=both["ms"] * of[f"factor_{end}"] / of["factor"],
            ms_base=both["ms_base"] * of[f"factor_{of_base}_base"] / of["factor_base"],
        )
        both[names[0]] = scaled["ms"] - scaled["ms_base"]
        both[names[1:]] = _split(scaled).to_numpy()
    names = {"ms_base": "fastest_ms", "ms": "column_ms"}
    names |= {"launched_base": "fastest_launched", "launched": "column_launched"}
    values = [*TIMES, *SPLIT, *LOWEST, *HIGHEST, *LAUNCHED]
    both = both.rename(columns=names).groupby(["round", "group"])[values].sum()
    every = pd.MultiIndex.from_product([rounds.index, GROUPS], names=["round", "part"])
    return both.rename_axis(["round", "part"]).reindex(every, fill_value=0.0)


def _split(both: pd.DataFrame) -> pd.DataFrame:
    """What each operation that two columns have takes longer, and the rest of its difference."""
    same = longer_ms(both["ms_base"], both["count_base"], both["ms"], both["count"])
    same = pd.Series(same, both.index).mask(both["name"] == REST, 0.0)
    return pd.DataFrame({SPLIT[0]: same, SPLIT[1]: both["ms"] - both["ms_base"] - same})
