"""What a patch changes in each workload: ratio, verdict, counts, and whether the work is the same.

Results are evaluated several times, and measuring stops when every workload is decided. So the
95 % intervals of all workloads and all looks hold together (Bonferroni). Half of the errors is left
to the last look, which has the most rounds.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from millistep.analysis import stats
from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.load import InputError
from millistep.analysis.same_work import NOT_COMPARED, SAME, problems

FINE, SLOWER, UNDECIDED = 0, 1, 3  # the exit status; 1 also if a workload does not run
POWER = 0.8  # of the smallest slow-down that would show
BROKEN, NEITHER = "does not run with the patch", "does not run on either side"
# Statuses of a run that is itself the reason.
FAILED_RUNS = ["too large", "oom", "timeout", "error", "invalid"]
SIDES = ("base", "null", "new")
SEVERAL = 2  # runs of the patch that fail, next to others that do not, are no accident
OTHER = "does not do the same work"


def comparisons(data: Data) -> pd.DataFrame:
    """Return a line per base and patch, and the base's second measurement (`null`).

    Of each framework, the first configuration is the base; one has `again`, the others are patches.
    """
    lines = []
    entries = data.configurations.assign(
        again=[e["settings"]["again"] for e in data.plan["columns"]]
    )
    for framework, group in entries.groupby("framework", sort=False):
        base, *others = group["configuration"]
        null = group.loc[group["again"], "configuration"].tolist()
        patches = [name for name in others if name not in null]
        if len(null) != 1 or not patches or base in null:
            raise InputError(
                f"columns: an answer needs a base, the same again and a patch of {framework}"
            )
        lines += [(framework, base, patch, null[0]) for patch in patches]
    return pd.DataFrame(lines, columns=["framework", "base", "new", "null"])


def answer(data: Data, threshold: float, looks: int, last: bool) -> pd.DataFrame:
    """Return a line per patch and workload: times, ratio, interval, verdict, `decided`, `failure`,
    `missing`, and the ratio of the base to itself.

    `ratio` is the time of the patch over the mean of the two measurements of the base.
    `smallest_shown` is the slow-down that POWER of such measurements would call slower.
    """
    names = [*WORKLOAD, "workload", "configuration", "title"]
    names += ["ms", "runs", "planned_runs", "status", "reason", "why_excluded", "unsupported"]
    cells = data.cells[names]
    found = comparisons(data).merge(
        cells.add_suffix("_base"), left_on="base", right_on="configuration_base"
    )
    found = found.rename(columns={f"{name}_base": name for name in [*WORKLOAD, "workload"]})
    new = cells.drop(columns="workload").rename(columns={n: f"{n}_new" for n in names[4:]})
    found = found.merge(new, left_on=[*WORKLOAD, "new"], right_on=[*WORKLOAD, "configuration_new"])
    of_looks = 1 if looks == 1 else 2 if last else 2 * (looks - 1)
    together = of_looks * len(found)
    rounds, keys = _rounds(data, found), [*WORKLOAD, "base", "configuration"]
    for side, prefix in (("new", ""), ("null", "null_")):
        pair = {"base": found["base"], "configuration": found[side]}
        ratios = stats.over_rounds(rounds, keys, together).add_prefix(prefix)
        found = found.assign(**pair).join(ratios, on=keys)
    found["rounds"] = found["rounds"].fillna(0).astype(int)
    found["verdict"] = _verdicts(found["low"], found["high"], threshold)
    found["smallest_shown"] = _smallest(found, threshold, together)
    null = _verdicts(found["null_low"], found["null_high"], threshold)
    found["null_differs"] = np.isin(null, ["slower", "faster"])
    found.loc[found["null_differs"], "verdict"] = "inconclusive"
    found["work"] = problems(data, found)
    found["only_patch_fails"] = _only_patch_fails(data, found)
    differs = ~found["work"].isin([SAME, NOT_COMPARED])
    runs = [found[f"runs_{side}"] > 0 for side in ("base", "new")]
    broken = runs[0] & (~runs[1] | found["only_patch_fails"].ne(""))
    found.loc[broken | differs, "verdict"] = "inconclusive"
    no_time = ["ratio", "low", "high", "smallest_shown", "ms_new"]
    found.loc[broken | differs, no_time] = np.nan
    known = found["unsupported_base"].notna() & found["unsupported_new"].notna()
    failures = [broken, ~runs[0] & ~runs[1] & ~known, differs]
    found["failure"] = np.select(failures, [BROKEN, NEITHER, OTHER], "")
    found["missing"] = [_missing(line) for line in found.to_dict("records")]
    for name, counted in counts(data).items():
        for side in SIDES:
            found[f"{name}_{side}"] = _of_side(found, side, counted, np.nan)
    timed = runs[0] & runs[1] & found["failure"].eq("")
    found["decided"] = ~timed | found["verdict"].ne("inconclusive")
    return found


def _only_patch_fails(data: Data, found: pd.DataFrame) -> list[str]:
    """Return '5 of 8 runs: oom: memory ran out' where several runs of the patch fail, and none of
    the base. The times of its other runs would be those of a choice.
    """
    failed = data.runs[data.runs["status"].isin(FAILED_RUNS)].groupby(CELL)
    reasons = failed["status"].first() + ": " + failed["reason"].first()
    numbers = zip(*(_of_side(found, side, failed.size(), 0) for side in SIDES), strict=True)
    reason, planned = _of_side(found, "new", reasons, ""), found["planned_runs_new"]
    return [
        f"{new} of {runs} runs: {why}" if new >= SEVERAL and not base and not null else ""
        for (base, null, new), runs, why in zip(numbers, planned, reason, strict=True)
    ]


def _of_side(found: pd.DataFrame, side: str, values: pd.Series, missing: Any) -> list[Any]:
    """Return the value of each line's cell of a side, from values by CELL."""
    keys = found[[*WORKLOAD, side]].itertuples(index=False, name=None)
    return [values.get(key, missing) for key in keys]


def _rounds(data: Data, found: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios of each round to the base, those of a patch to both measurements of it."""
    rounds = data.round_ratios.drop(columns="looks")  # of `runs: auto`
    first = dict(zip(found["null"], found["base"], strict=True))
    to_both = rounds[rounds["configuration"].isin(found["new"])].replace({"base": first})
    by = [*WORKLOAD, "base", "configuration", "run", "machine"]
    means = to_both.groupby(by, sort=False).agg({"log": "mean", "pairs": "sum"}).reset_index()
    return pd.concat([means, rounds[rounds["configuration"].isin(found["null"])]])


def counts(data: Data) -> dict[str, pd.Series]:
    """Return exact counts per step, by CELL, each from one run."""
    return {
        "operations": operations(data),
        "calls": _first(data, "calls.per_step"),
        "allocated": _first(data, "memory.allocated_bytes_per_step"),
    }


def operations(data: Data) -> pd.Series:
    """Return the operations that a step launches, by CELL: counted in the profile of one run."""
    name = "host_overhead.rest_launched"
    rest = data.runs.reindex(columns=[*RUN, name]).set_index(RUN)[name]
    launched = data.operations.groupby(RUN)["launched"].sum()
    return (launched + rest).dropna().groupby(level=CELL).first()


def _first(data: Data, name: str) -> pd.Series:
    runs = data.runs.reindex(columns=[*CELL, name, "ok"])
    return runs[runs["ok"]].dropna(subset=[name]).groupby(CELL)[name].first()


def _verdicts(low: pd.Series, high: pd.Series, threshold: float) -> np.ndarray:
    most = 1 + threshold
    conditions = [low > most, high < 1 / most, (low >= 1 / most) & (high <= most)]
    return np.select(conditions, ["slower", "faster", "tied"], "inconclusive")


def _smallest(found: pd.DataFrame, threshold: float, names: int) -> pd.Series:
    freedom = (found["rounds"] - 1).clip(lower=1)
    half = np.log(found["high"] / found["ratio"])
    error = half / t.ppf(1 - stats.ALPHA / 2 / names, freedom)
    return np.exp(np.log1p(threshold) + half + error * t.ppf(POWER, freedom))


def _missing(line: dict[str, Any]) -> str:
    """Return why a workload has no verdict."""
    if line["failure"] == OTHER:
        work: str = line["work"]
        return work
    if line["failure"] == BROKEN and line["runs_new"]:
        return f"patch: {line['only_patch_fails']}"
    if line["failure"] != BROKEN and line["null_differs"]:
        return "the base differs from itself"
    if pd.notna(line["ratio"]):
        return ""
    reasons = [f"{n}: {why}" for n in ("base", "new") if (why := line[f"why_excluded_{n}"])]
    return "; ".join(reasons).replace("new: ", "patch: ") or "no shared round"


def status(found: pd.DataFrame, left_out: Mapping[str, str]) -> int:
    """Return the exit status. A workload that does not run is a failure, not a decision.

    left_out: failures of the workloads that were measured in the first round only, '' without one.
    """
    failed = found["failure"].ne("").any() or any(left_out.values())
    if (found["verdict"] == "slower").any() or failed:
        return SLOWER
    return FINE if found["decided"].all() and found["ratio"].notna().any() else UNDECIDED
