"""Statistics: times are compared as ratios within rounds; rounds are the independent values.

Everything here takes and returns numbers; nothing is read or printed.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

ALPHA = 0.05
TIE = 0.05  # cells are tied if the interval of their ratio lies within 1/1.05 to 1.05
MIN_RUNS = 2  # runs of a cell that may be called fastest, rounds of a ratio with an interval
ALONE = "nothing to compare it with"
MIN_PAIRS = 3  # pairs of neighboring windows; fewer do not count as taking turns
OTHER_WORK = 0.001  # numbers of parameters that differ by this share are different work
MOST_CELLS = 8  # of a group whose ways to be equal are all looked at: 4,140
FASTEST, TIED, SLOWER, INCONCLUSIVE, EXCLUDED = STANDINGS = (
    "fastest", "tied", "slower", "inconclusive", "excluded",
)  # fmt: skip


class Ratio(NamedTuple):
    """A ratio of times, its 95 % interval, the two-sided p value, and the number of rounds."""

    ratio: float
    low: float
    high: float
    p: float
    rounds: int


NO_RATIO = Ratio(np.nan, np.nan, np.nan, np.nan, 0)


def half_width(error: pd.Series, values: pd.Series, names: int | pd.Series = 1) -> pd.Series:
    """Return half of the t interval of a mean; `names` intervals hold together (Bonferroni)."""
    return error * stats.t.ppf(1 - ALPHA / 2 / names, values - 1)


def t_means(groups: pd.api.typing.SeriesGroupBy) -> pd.DataFrame:
    """Return mean, low, high (95 %, Student's t) and number of values of each group."""
    mean, number = groups.mean(), groups.count()
    half = half_width(groups.sem(), number)
    return pd.DataFrame({"mean": mean, "low": mean - half, "high": mean + half, "values": number})


def with_ends(means: pd.DataFrame) -> pd.DataFrame:
    """Fill in low and high of groups with one value, of what belongs to a cell's first run alone.

    These have no interval over runs: both ends are the value.
    """
    once = means["values"] == 1
    ends = {name: means[name].mask(once, means["mean"]) for name in ("low", "high")}
    return means.assign(**ends)


def means_over_machines(logs: pd.api.typing.SeriesGroupBy, by: list[str]) -> pd.DataFrame:
    """Return ms, low and high of each cell from log times grouped by cell and machine.

    With runs on several machines, machines are the independent values.
    """
    by_machine = logs.mean().rename("log").reset_index()
    several = by_machine.groupby(by, sort=False)["log"].transform("size") > 1
    machines = t_means(by_machine[several].groupby(by, sort=False)["log"])
    runs = t_means(logs).droplevel(-1)
    found = runs[~runs.index.isin(machines.index)]
    found = pd.concat([part for part in (found, machines) if len(part)]) if len(machines) else found
    return np.exp(found[["mean", "low", "high"]]).rename(columns={"mean": "ms"})


def neighbors(
    start_a: np.ndarray, log_a: np.ndarray, start_b: np.ndarray, log_b: np.ndarray
) -> tuple[float, int]:
    """Return the median of log_a - log_b over neighboring windows and the number of these pairs.

    Windows of two processes are neighbors if no other window of the two is between them in time.
    Return (NaN, 0) if the processes did not take turns.
    """
    starts = np.concatenate([start_a, start_b])
    order = np.argsort(starts, kind="stable")
    is_a = order < len(start_a)
    logs = np.concatenate([log_a, log_b])[order]
    change = np.flatnonzero(is_a[1:] != is_a[:-1])
    if len(change) < MIN_PAIRS:
        return np.nan, 0
    differences = np.where(is_a[change], 1, -1) * (logs[change] - logs[change + 1])
    return float(np.median(differences)), len(change)


def over_rounds(rounds: pd.DataFrame, by: list[str], names: int = 1) -> pd.DataFrame:
    """Return ratio, low, high, p (two-sided), rounds and pairs of each group of `log` ratios.

    `rounds` has columns `log` and `machine` and maybe `pairs` and `looks`. If a group was measured
    on several machines, its values are the means of the machines. If rounds were added to a group
    because it was undecided, its k-th look at the data has a share of 1/2^k of the errors.
    """
    rounds = rounds.astype({"log": float})  # without any round it is of no type
    groups_of = rounds.groupby(by, sort=False)
    machines = groups_of["machine"].transform("nunique")
    apart = rounds["machine"].where(machines > 1, np.arange(len(rounds)).astype(str))
    values = rounds.groupby([*by, apart.rename("value")], sort=False)["log"].mean()
    groups = values.groupby(level=by, sort=False)
    mean, error, number = groups.mean(), groups.sem(), groups.count()
    looks = 2 ** groups_of["looks"].first() if "looks" in rounds else 1
    half = half_width(error, number, names * looks)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.minimum(looks * 2 * stats.t.sf(np.abs(mean) / error, number - 1), 1)
    found = pd.DataFrame(
        {
            name: np.exp(log)
            for name, log in {"ratio": mean, "low": mean - half, "high": mean + half}.items()
        }
    )
    found["p"] = np.where(number < MIN_RUNS, np.nan, np.where((error == 0) & (mean == 0), 1.0, p))
    found["rounds"] = groups_of.size()
    found["pairs"] = groups_of["pairs"].sum() if "pairs" in rounds else 0
    return found


def paired(base: pd.Series, new: pd.Series, names: int = 1) -> Ratio:
    """Return t(new) / t(base) from ms per step by round; rounds of only one of them are left out.

    `names`: the number of intervals that hold together.
    """
    logs = (np.log(new) - np.log(base)).dropna().rename("log").reset_index(drop=True).to_frame()
    if logs.empty:
        return NO_RATIO
    found = over_rounds(logs.assign(machine="", all=0), ["all"], names).iloc[0]
    ratio, low, high, p = (float(found[name]) for name in Ratio._fields[:-1])
    return Ratio(ratio, low, high, p, int(found["rounds"]))


def welch(base: Sequence[float], new: Sequence[float], names: int = 1) -> Ratio:
    """Return t(new) / t(base) of runs that share no rounds, by Welch's test on logarithms."""
    a, b = np.log(np.asarray(new, float)), np.log(np.asarray(base, float))
    if min(len(a), len(b)) < MIN_RUNS:
        ratio = np.exp(a.mean() - b.mean()) if len(a) and len(b) else np.nan
        return Ratio(float(ratio), np.nan, np.nan, np.nan, min(len(a), len(b)))
    test = stats.ttest_ind(a, b, equal_var=False)
    ends = test.confidence_interval(1 - ALPHA / names)
    values = np.exp([a.mean() - b.mean(), ends.low, ends.high])
    ratio, low, high = map(float, values)
    return Ratio(ratio, low, high, float(test.pvalue), min(len(a), len(b)))


def holm(p: pd.Series) -> pd.Series:
    """Return Holm-adjusted p values; missing ones stay missing and do not count."""
    values = p.to_numpy(float)  # a table has thousands of small families
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # missing ones are last
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return pd.Series(adjusted, p.index)


def all_pairs(p: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return adjusted p values of all pairs of cells; `first` and `second` are their cells.

    Holm's correction, in which only pairs that can be equal at the same time count together: if A
    equals B, and B equals C, A equals C (Bergmann and Hommel, 1988). Missing values stay missing.
    Of more than MOST_CELLS cells, it is Holm's.
    """
    cells, places = np.unique([first, second], return_inverse=True)
    if len(cells) > MOST_CELLS:
        return np.asarray(holm(pd.Series(p)))
    first, second = places.reshape(2, -1)
    equal = ways_to_be_equal(len(cells))[:, first, second] & ~np.isnan(p)
    lowest = np.where(equal, p, 1).min(axis=1)
    bounds = np.minimum(lowest * equal.sum(axis=1), 1)
    adjusted = np.where(equal, bounds[:, np.newaxis], 0).max(axis=0)
    return np.where(np.isnan(p), np.nan, adjusted)


@cache
def ways_to_be_equal(cells: int) -> np.ndarray:
    """Return all partitions of cells into equal ones: (ways, cell, cell), True for equal cells."""
    ways: list[tuple[int, ...]] = [()]  # the number of each cell's part, parts in order
    for _ in range(cells):
        ways = [(*way, part) for way in ways for part in range(max(way, default=-1) + 2)]
    parts = np.array(ways).reshape(len(ways), cells)
    equal: np.ndarray = parts[:, :, np.newaxis] == parts[:, np.newaxis, :]
    return equal


def mean_over_workloads(rounds: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the geometric mean ratio over workloads, which count alike, as `over_rounds` does.

    `rounds` has columns WORKLOAD, run, log, machine and looks. Workloads of one round alone are
    left out if others have more. A round counts if all workloads have it; it is one value, the mean
    of its workloads.
    """
    workload = ["model", "task", "batch_size"]
    logs = rounds.pivot_table("log", [*by, *workload], "run")
    own = logs.count(axis=1)
    groups = logs[own >= own.groupby(level=by).transform("max").clip(upper=MIN_RUNS)].groupby(
        level=by, sort=False
    )
    means = groups.mean().where(groups.count().eq(groups.size(), axis=0))
    found = means.stack().dropna().rename("log").to_frame()
    machines = rounds.groupby([*by, "run"])["machine"]
    found = found.join(machines.agg(lambda of: " ".join(sorted({*of}))))
    found = found.join(rounds.groupby(by)["looks"].max()).reset_index()
    return over_rounds(found, by).assign(workloads=groups.size())


def same_work(cells: pd.DataFrame, by: list[str]) -> pd.Series:
    """Return whether all cells of a cell's group have equal numbers of (trained) parameters.

    Cells of a group with different numbers are compared in the table, but not counted in texts.
    """
    sizes = cells.reindex(columns=["total_parameters", "trained_parameters"]).astype(float)
    groups = sizes.groupby([cells[name] for name in by], dropna=False)
    excess = groups.transform("max") / groups.transform("min").clip(lower=1) - 1
    return ~(excess >= OTHER_WORK).any(axis=1)


def resolution(cells: pd.DataFrame) -> float:
    """Return the median half-width of the 95 % intervals of ratios to the fastest, as a share."""
    others = cells[~cells["standing"].isin([FASTEST, EXCLUDED])]
    return float(np.sqrt(others["ratio_high"] / others["ratio_low"]).median() - 1)


def over_all_pairs(
    cells: pd.DataFrame, ratios: pd.DataFrame, group: list[str], workload: list[str]
) -> pd.Series:
    """Return the p value of each ratio after the correction for all pairs of cells of its group.

    For comparisons that the data choose, such as those of the fastest cells.
    """
    places = cells.assign(place=range(len(cells)))[[*group, "configuration", "place"]]
    base = places.rename(columns={"configuration": "base", "place": "other"})
    pairs = ratios[[*workload, "base", "configuration", "p"]].reset_index()
    pairs = pairs.merge(places, on=[*workload, "configuration"])
    pairs = pairs.merge(base, on=[*group, "base"])
    once = pairs[pairs["place"] < pairs["other"]]
    p, first, second = (once[name].to_numpy(float) for name in ("p", "place", "other"))
    adjusted = np.full(len(once), np.nan)
    for of in once.groupby(group, sort=False).indices.values():
        adjusted[of] = all_pairs(p[of], first[of], second[of])
    once = pd.Series(adjusted, pd.MultiIndex.from_arrays([first, second]))
    low, high = pairs[["place", "other"]].min(axis=1), pairs[["place", "other"]].max(axis=1)
    both = once.reindex(pd.MultiIndex.from_arrays([low, high])).to_numpy()
    return pd.Series(both, pairs["index"], dtype=float).reindex(ratios.index)


def with_the_fastest(
    cells: pd.DataFrame, ratios: pd.DataFrame, group: list[str], workload: list[str]
) -> pd.DataFrame:
    """Add fastest, ratio, ratio_low, ratio_high, p, rounds, standing, undecided.

    The policy of all tables and pages. `fastest`: the lowest mean of the comparable cells of a
    group with at least two runs, of those that share two rounds with another one if there are any.
    `slower`: the ratio to it differs from 1 at 5 % (paired t over rounds, corrected for all pairs
    of the group, because the data choose the fastest).
    `tied`: the 95 % interval of the ratio lies within 5 % of 1. `inconclusive`: neither.
    `excluded`: see why_excluded, which is completed. If an excluded cell with two runs has a
    lower mean than the fastest, it may be the fastest, and the others are excluded, too. So are all
    if the test shows that another one is faster than the fastest, and not tied.

    undecided: more rounds may decide the standing.
    """
    able = cells[cells["comparable"] & (cells["runs"] >= MIN_RUNS)]
    shared = ratios.loc[ratios["rounds"] >= MIN_RUNS, [*workload, "configuration"]]
    keys = pd.MultiIndex.from_frame(able[shared.columns])
    able = able.assign(apart=~keys.isin(pd.MultiIndex.from_frame(shared)))
    best = able.sort_values(["apart", "ms"], kind="stable").drop_duplicates(group)
    best = best[[*group, "configuration"]].rename(columns={"configuration": "fastest"})
    found = cells.merge(best, on=group, how="left")
    ratios = ratios.assign(p=over_all_pairs(able, ratios, group, workload))
    to_best = ratios.rename(columns={"base": "fastest", "low": "ratio_low", "high": "ratio_high"})
    keys = [*workload, "configuration", "fastest"]
    to_best = to_best[[*keys, "ratio", "ratio_low", "ratio_high", "p", "rounds"]]
    found = found.merge(to_best, on=keys, how="left")
    own = found["configuration"] == found["fastest"]
    found.loc[own, ["ratio", "ratio_low", "ratio_high"]] = 1.0
    found["rounds"] = found["rounds"].where(~own, found["runs"]).fillna(0).astype(int)
    alone = found.groupby(group, sort=False, dropna=False)["comparable"].transform("sum") == 1
    found["why_excluded"] = np.select(
        [
            ~found["comparable"],
            found["runs"] < MIN_RUNS,
            alone,
            ~own & (found["rounds"] < MIN_RUNS),
        ],
        [
            found["why_excluded"],
            "measured in one run only",
            ALONE,
            "shares fewer than two rounds with the fastest",
        ],
        "",
    )
    left = (found["why_excluded"] == "").groupby([found[name] for name in group], dropna=False)
    found.loc[own & (left.transform("sum") == 1), "why_excluded"] = ALONE
    excluded = found["why_excluded"] != ""
    groups = [found[name] for name in group]
    noisy = excluded & found["runs"].ge(MIN_RUNS)
    lowest = found["ms"].where(noisy).groupby(groups, dropna=False).transform("min")
    tied = (found["ratio_low"] >= 1 / (1 + TIE)) & (found["ratio_high"] <= 1 + TIE)
    faster = (found["p"] <= ALPHA) & (found["ratio"] < 1) & ~tied & ~excluded
    faster = faster.groupby(groups, dropna=False).transform("any")
    lower = lowest < found["ms"].where(own).groupby(groups, dropna=False).transform("min")
    found.loc[faster & ~excluded, "why_excluded"] = "means and ratios have different fastest cells"
    found.loc[lower & ~excluded, "why_excluded"] = "a cell with a lower time is excluded"
    doubtful = faster | lower
    found.loc[doubtful, ["fastest", "ratio", "ratio_low", "ratio_high", "p"]] = np.nan
    found.loc[doubtful, "rounds"] = 0
    slower = (found["p"] <= ALPHA) & (found["ratio"] > 1)
    found["standing"] = np.select(
        [found["why_excluded"] != "", own, slower, tied],
        [EXCLUDED, FASTEST, SLOWER, TIED],
        INCONCLUSIVE,
    )
    several = found["runs"].gt(0).groupby(groups, dropna=False).transform("sum") > 1
    timed = found["runs"].gt(0) & found["why_excluded"].ne(ALONE) & several
    found["undecided"] = found["standing"].eq(INCONCLUSIVE) | (
        found["standing"].eq(EXCLUDED) & timed
    )
    return found
