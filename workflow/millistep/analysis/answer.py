"""Answer a pull request: what a patch changes in each workload, as a comment and as JSON.

Results are evaluated several times, and measuring stops when every workload is decided. So the
95 % intervals of all workloads and all looks hold together (Bonferroni).
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from millistep.analysis import stats
from millistep.analysis.archive import contents
from millistep.analysis.caveats import caveats
from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.load import InputError, load, violation
from millistep.analysis.report import summary
from millistep.analysis.report.setting import machines, period
from millistep.analysis.same_work import NOT_COMPARED, SAME, problems
from millistep.analysis.words import (
    NA,
    count,
    environment,
    listed,
    markdown,
    ms,
    one_line,
    percent,
    within,
)
from millistep.contracts.results import Answer

FINE, SLOWER, UNDECIDED = 0, 1, 3  # the exit status; 1 also if a workload does not run
POWER = 0.8  # of the smallest slow-down that would show
BROKEN, NEITHER = "does not run with the patch", "does not run on either side"
OTHER = "does not do the same work"
VERDICTS = {
    "slower": "slower by more than {}",
    "faster": "faster by more than {}",
    "tied": "tied within {}",
    "inconclusive": "inconclusive",
}
MOST_CAVEATS = 4
MOST_FUNCTIONS = 3  # of a workload in the comment
JSON = ["base", "new", *WORKLOAD, "ratio", "low", "high", "null_ratio", "null_low", "null_high"]
JSON += ["rounds", "verdict", "smallest_shown", "missing", "work"]
JSON += [f"{name}_{side}" for name in ("operations", "calls") for side in ("base", "null", "new")]


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


def answer(data: Data, threshold: float, looks: int) -> pd.DataFrame:
    """Return a line per patch and workload: times, ratio, interval, verdict, `decided`, `failure`,
    `missing`, and the ratio of the base to itself.

    `ratio` is the time of the patch over that of the base. `smallest_shown` is the slow-down that
    POWER of such measurements would call slower.
    """
    names = [*WORKLOAD, "workload", "configuration", "title"]
    names += ["ms", "runs", "status", "reason", "why_excluded", "unsupported"]
    cells = data.cells[names]
    found = comparisons(data).merge(
        cells.add_suffix("_base"), left_on="base", right_on="configuration_base"
    )
    found = found.rename(columns={f"{name}_base": name for name in [*WORKLOAD, "workload"]})
    new = cells.drop(columns="workload").rename(columns={n: f"{n}_new" for n in names[4:]})
    found = found.merge(new, left_on=[*WORKLOAD, "new"], right_on=[*WORKLOAD, "configuration_new"])
    together = looks * len(found)
    for side, prefix in (("new", ""), ("null", "null_")):
        pair = {"base": found["base"], "configuration": found[side]}
        keys = [*WORKLOAD, "base", "configuration"]
        ratios = stats.over_rounds(data.round_ratios, keys, together).add_prefix(prefix)
        found = found.assign(**pair).join(ratios, on=keys)
    found["rounds"] = found["rounds"].fillna(0).astype(int)
    found["verdict"] = _verdicts(found["low"], found["high"], threshold)
    found["smallest_shown"] = _smallest(found, threshold, together)
    null = _verdicts(found["null_low"], found["null_high"], threshold)
    found["null_differs"] = np.isin(null, ["slower", "faster"])
    found.loc[found["null_differs"], "verdict"] = "inconclusive"
    found["work"] = problems(data, found)
    differs = ~found["work"].isin([SAME, NOT_COMPARED])
    found.loc[differs, "verdict"] = "inconclusive"
    found.loc[differs, ["ratio", "low", "high", "smallest_shown", "ms_new"]] = np.nan
    runs = [found[f"runs_{side}"] > 0 for side in ("base", "new")]
    known = found["unsupported_base"].notna() & found["unsupported_new"].notna()
    failures = [runs[0] & ~runs[1], ~runs[0] & ~runs[1] & ~known, differs]
    found["failure"] = np.select(failures, [BROKEN, NEITHER, OTHER], "")
    found["missing"] = [_missing(line) for line in found.to_dict("records")]
    for name, counted in (("operations", operations(data)), ("calls", python_calls(data))):
        for side in ("base", "null", "new"):
            keys = found[[*WORKLOAD, side]].itertuples(index=False, name=None)
            found[f"{name}_{side}"] = [counted.get(key, np.nan) for key in keys]
    found["decided"] = ~(runs[0] & runs[1]) | (found["verdict"] != "inconclusive") | differs
    return found


def operations(data: Data) -> pd.Series:
    """Return the operations that a step launches, by CELL: counted in the profile of one run."""
    name = "host_overhead.rest_launched"
    rest = data.runs.reindex(columns=[*RUN, name]).set_index(RUN)[name]
    launched = data.operations.groupby(RUN)["launched"].sum()
    return (launched + rest).dropna().groupby(level=CELL).first()


def python_calls(data: Data) -> pd.Series:
    """Return the Python functions that a step calls, by CELL: counted in one run."""
    name = "calls.per_step"
    runs = data.runs.reindex(columns=[*CELL, name, "ok"])
    return runs[runs["ok"]].dropna(subset=[name]).groupby(CELL)[name].first()


def changed_calls(data: Data, line: dict[str, Any]) -> list[str]:
    """Return the functions whose calls the patch changes most: 'f: 12 -> 8'; only exact counts."""
    by_function = data.calls.pivot_table(index="name", columns=CELL, values="per_step")
    workload = [line[name] for name in WORKLOAD]
    cells = [(*workload, line[side]) for side in ("base", "null", "new")]
    if any(cell not in by_function.columns for cell in cells):
        return []
    base, null, new = (by_function[cell].fillna(0) for cell in cells)
    change = (new - base)[base.eq(null)]
    names = change[change.abs() >= 1].abs().sort_values(ascending=False).index[:MOST_FUNCTIONS]
    return [f"`{one_line(name)}`: {base[name]:g} \u2192 {new[name]:g}" for name in names]


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
    if line["null_differs"]:
        return "the base differs from itself"
    if pd.notna(line["ratio"]):
        return ""
    reasons = [f"{n}: {why}" for n in ("base", "new") if (why := line[f"why_excluded_{n}"])]
    return "; ".join(reasons).replace("new: ", "patch: ") or "no shared round"


def status(found: pd.DataFrame) -> int:
    """Return the exit status. A workload that does not run is a failure, not a decision."""
    if (found["verdict"] == "slower").any() or (found["failure"] != "").any():
        return SLOWER
    return FINE if found["decided"].all() and found["ratio"].notna().any() else UNDECIDED


def seconds(data: Data) -> dict[str, float]:
    """Return what a round of each workload takes, by 'model/task/batch size'."""
    took = summary.workloads(data)
    keys = took[WORKLOAD].itertuples(index=False, name=None)
    return {"/".join(map(str, key)): s for key, s in zip(keys, took["round_s"], strict=True)}


def as_json(found: pd.DataFrame, of_a_round: dict[str, float]) -> dict[str, Any]:
    """Return the answer for the program that decides whether to measure on."""
    rows = json.loads(found[JSON].to_json(orient="records", double_precision=15))
    return {
        **{"schema": "millistep.answer/1", "status": status(found)},
        **{"decided": bool(found["decided"].all()), "seconds_of_a_round": of_a_round},
        "rows": rows,
    }


def _several(found: pd.DataFrame) -> bool:
    return bool(found["new"].nunique() > 1)


def headline(found: pd.DataFrame, threshold: float) -> str:
    """Return what is shown, the worst first."""
    several = _several(found)
    total = count(len(found), "comparison" if several else "workload")
    parts = [
        f"{failure} in {listed(of['workload'])}"
        for failure, of in found.groupby("failure")
        if failure
    ]
    compared = found[found["ratio"].notna() | found["missing"].eq("")]
    shown = [
        f"{words.format(percent(threshold))} in {number} of {total}"
        for verdict, words in VERDICTS.items()
        if (number := int(compared["verdict"].eq(verdict).sum()))
    ]
    parts += [f"is {'; '.join(shown)}"] if shown else []
    return (
        f"{'a patch' if several else 'the patch'} {'; '.join(parts)}"
        if parts
        else "nothing could be compared"
    )


def comment(data: Data, found: pd.DataFrame, settings: dict[str, Any], digest: str) -> str:
    """Return the comment in Markdown. settings: threshold, looks, left_out, report."""
    pairs = found[["title_new", "title_base"]].drop_duplicates()
    labels = found["workload"] + (", " + found["title_new"] if _several(found) else "")
    lines = found.assign(label=labels).to_dict("records")
    warned = caveats(data)
    warned = warned[warned["severity"].isin(["critical", "warning"])].head(MOST_CAVEATS)
    runs = data.runs[data.runs["ok"]]
    return environment().get_template("answer.md.j2").render(
        headline=headline(found, settings["threshold"]),
        pair=listed(pairs["title_new"] + " against " + pairs["title_base"]),
        where=f"{data.plan['scale']} scale, {machines(runs)}",
        period=period(runs),
        rows=[_row(line, settings["threshold"]) for line in lines],
        over=f"{count(len(found), 'comparison')} and {count(settings['looks'], 'look')}",
        power=percent(POWER),
        undecided=status(found) == UNDECIDED and not found["decided"].all(),
        left_out=listed(settings["left_out"]) if settings["left_out"] else "",
        functions=[
            f"{line['label']}: {', '.join(changed)}"
            for line in lines
            if (changed := changed_calls(data, line))
        ],
        caveats=[f"{c.title}: {c.text}" for c in warned.itertuples()],
        report=settings["report"],
        digest=digest,
    )  # fmt: skip


def _row(line: dict[str, Any], threshold: float) -> dict[str, Any]:
    words = VERDICTS[line["verdict"]].format(percent(threshold))
    if line["missing"]:
        words = markdown(f"{line['failure'] or 'not compared'}: {line['missing']}")
    elif line["verdict"] in ("slower", "faster"):
        words = f"**{line['verdict']}** {words.partition(' ')[2]}"
    return {
        "label": line["label"],
        "times": [ms(line["ms_base"]), ms(line["ms_new"])],
        "rounds": line["rounds"],
        "change": within(line["ratio"], line["low"], line["high"], _change),
        "null": within(line["null_ratio"], line["null_low"], line["null_high"], _change),
        "verdict": words,
        **{
            name: _count(*(line[f"{name}_{n}"] for n in ("base", "null", "new")))
            for name in ("operations", "calls")
        },
        "smallest": _change(line["smallest_shown"]),
        "work": line["work"].partition(":")[0],
    }


def _count(base: float, null: float, new: float) -> str:
    """Return the change of a count; a count that the base does not repeat shows nothing."""
    if np.isnan([base, null, new]).any():
        return NA
    if base != null:
        return f"varies ({_whole(base)}, {_whole(null)})"
    return _whole(base) if base == new else f"{_whole(base)} \u2192 {_whole(new)}"


def _whole(count: float) -> str:
    return f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"


def _change(ratio: float) -> str:
    return percent(ratio - 1, signed=True)


def register(commands: Any) -> None:
    """Add the command `comment`."""
    options = commands.add_parser("comment", help="write the comment on a pull request")
    options.add_argument("--plan", type=Path, required=True)
    options.add_argument("--settings", type=json.loads, required=True)
    options.add_argument("--output-dir", type=Path, required=True)
    options.set_defaults(function=_main, failure=1)


def _main(options: argparse.Namespace) -> int:
    """Write answer.md and answer.json."""
    settings, data = options.settings, load(options.plan)
    found = answer(data, settings["threshold"], settings["looks"])
    content = as_json(found, seconds(data))
    if problem := violation(content, Answer):
        raise InputError(f"answer.json: {problem}")
    project = options.plan.resolve().parents[len(Path(data.plan["results"]).parts)]
    digest = contents.digest(project, contents.measured(data.plan, project))
    (options.output_dir / "answer.md").write_text(comment(data, found, settings, digest), "utf-8")
    text = json.dumps(content, indent=2, allow_nan=False)
    (options.output_dir / "answer.json").write_text(f"{text}\n")
    return 0
