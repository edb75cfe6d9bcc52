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
from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.load import InputError, load, violation
from millistep.analysis.report.setting import machines, period
from millistep.analysis.topics.pairs import questions
from millistep.analysis.words import count, environment, listed, markdown, ms, percent, within

FINE, SLOWER, UNDECIDED = 0, 1, 3  # the exit status; 1 also if a workload does not run
POWER = 0.8  # of the smallest slow-down that would show
BROKEN, NEITHER = "does not run with the patch", "does not run on either side"
VERDICTS = {
    "slower": "slower by more than {}",
    "faster": "faster by more than {}",
    "tied": "tied within {}",
    "inconclusive": "inconclusive",
}
MOST_CAVEATS = 4
JSON = [*WORKLOAD, "ratio", "low", "high", "rounds", "verdict", "smallest_shown", "missing"]


def answer(data: Data, threshold: float, looks: int) -> pd.DataFrame:
    """Return a line per workload: times, ratio, interval, verdict, `decided`, `failure`, `missing`.

    `ratio` is the time of the patch over that of the base. `smallest_shown` is the slow-down that
    POWER of such measurements would call slower.
    """
    asked = questions(data)
    if len(asked) != 1 or len(data.configurations) != 2:
        raise InputError(
            "columns: an answer needs two of one framework that differ in their overlay only"
        )
    base, new = asked.loc[0, ["base", "new"]]
    names = ["configuration", "ms", "runs", "status", "reason", "why_excluded", "unsupported"]
    sides = [
        data.cells.loc[data.cells["configuration"] == name, [*WORKLOAD, "workload", *names]]
        for name in (base, new)
    ]
    found = sides[0].merge(sides[1], on=[*WORKLOAD, "workload"], suffixes=("_base", "_new"))
    names_together = looks * len(found)
    rounds = data.round_ratios.query("base == @base and configuration == @new")
    found = found.join(stats.over_rounds(rounds, WORKLOAD, names_together), on=WORKLOAD)
    found["rounds"] = found["rounds"].fillna(0).astype(int)
    found["verdict"] = _verdicts(found, threshold)
    found["smallest_shown"] = _smallest(found, threshold, names_together)
    runs = [found[f"runs_{side}"] > 0 for side in ("base", "new")]
    known = found["unsupported_base"].notna() & found["unsupported_new"].notna()
    failures = [runs[0] & ~runs[1], ~runs[0] & ~runs[1] & ~known]
    found["failure"] = np.select(failures, [BROKEN, NEITHER], "")
    found["missing"] = [_missing(line) for line in found.to_dict("records")]
    found["decided"] = ~(runs[0] & runs[1]) | (found["verdict"] != "inconclusive")
    return found


def _verdicts(found: pd.DataFrame, threshold: float) -> np.ndarray:
    most = 1 + threshold
    low, high = found["low"], found["high"]
    conditions = [low > most, high < 1 / most, (low >= 1 / most) & (high <= most)]
    return np.select(conditions, ["slower", "faster", "tied"], "inconclusive")


def _smallest(found: pd.DataFrame, threshold: float, names: int) -> pd.Series:
    freedom = (found["rounds"] - 1).clip(lower=1)
    half = np.log(found["high"] / found["ratio"])
    error = half / t.ppf(1 - stats.ALPHA / 2 / names, freedom)
    return np.exp(np.log1p(threshold) + half + error * t.ppf(POWER, freedom))


def _missing(line: dict[str, Any]) -> str:
    """Return why a workload has no ratio."""
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
    """Return what another round of each workload takes, by 'model/task/batch size'.

    The last run of each cell counts, without what only the first run of a cell measures.
    """
    runs = data.runs.reindex(columns=[*CELL, "run", "total_s", "timing.timed_s"])
    windows_s = data.windows.groupby([*CELL, "run"])["elapsed_ns"].sum() / 1e9
    runs = runs.join(windows_s, on=[*CELL, "run"]).dropna(subset="total_s")
    extra_s = (runs["timing.timed_s"] - runs["elapsed_ns"]).clip(lower=0).fillna(0)
    last = runs.assign(s=runs["total_s"] - extra_s).drop_duplicates(CELL, keep="last")
    took = last.groupby(WORKLOAD)["s"].sum()
    keys = data.workloads[WORKLOAD].itertuples(index=False, name=None)
    return {"/".join(map(str, key)): float(took.get(key, 0.0)) for key in keys}


def as_json(found: pd.DataFrame, of_a_round: dict[str, float]) -> dict[str, Any]:
    """Return the answer for the program that decides whether to measure on."""
    rows = json.loads(found[JSON].to_json(orient="records", double_precision=15))
    return {
        **{"schema": "millistep.answer/1", "status": status(found)},
        **{"decided": bool(found["decided"].all()), "seconds_of_a_round": of_a_round},
        "rows": rows,
    }


def headline(found: pd.DataFrame, threshold: float) -> str:
    """Return what is shown, the worst first."""
    total = count(len(found), "workload")
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
    return f"the patch {'; '.join(parts)}" if parts else "nothing could be compared"


def comment(data: Data, found: pd.DataFrame, settings: dict[str, Any], digest: str) -> str:
    """Return the comment in Markdown. settings: threshold, looks, left_out, report."""
    titles = data.configurations.set_index("configuration")["title"]
    warned = caveats(data)
    warned = warned[warned["severity"].isin(["critical", "warning"])].head(MOST_CAVEATS)
    runs = data.runs[data.runs["ok"]]
    return environment().get_template("answer.md.j2").render(
        headline=headline(found, settings["threshold"]),
        pair=f"{titles[found['configuration_new'].iloc[0]]} against "
        f"{titles[found['configuration_base'].iloc[0]]}",
        where=f"{data.plan['scale']} scale, {machines(runs)}",
        period=period(runs),
        rows=[_row(line, settings["threshold"]) for line in found.to_dict("records")],
        over=f"{count(len(found), 'workload')} and {count(settings['looks'], 'look')}",
        power=percent(POWER),
        undecided=status(found) == UNDECIDED and not found["decided"].all(),
        left_out=listed(settings["left_out"]) if settings["left_out"] else "",
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
        "label": line["workload"],
        "times": [ms(line["ms_base"]), ms(line["ms_new"])],
        "rounds": line["rounds"],
        "change": within(line["ratio"], line["low"], line["high"], _change),
        "verdict": words,
        "smallest": _change(line["smallest_shown"]),
    }


def _change(ratio: float) -> str:
    return percent(ratio - 1, signed=True)


def register(commands: Any) -> None:
    """Add the command `answer`."""
    options = commands.add_parser("answer", help="write the comment on a pull request")
    options.add_argument("--plan", type=Path, required=True)
    options.add_argument("--settings", type=json.loads, required=True)
    options.add_argument("--output-dir", type=Path, required=True)
    options.set_defaults(function=_main, failure=1)


def _main(options: argparse.Namespace) -> int:
    """Write answer.md and answer.json."""
    settings, data = options.settings, load(options.plan)
    found = answer(data, settings["threshold"], settings["looks"])
    content = as_json(found, seconds(data))
    if problem := violation(content, "answer"):
        raise InputError(f"answer.json: {problem}")
    project = options.plan.resolve().parents[len(Path(data.plan["results"]).parts)]
    digest = contents.digest(project, contents.measured(data.plan, project))
    (options.output_dir / "answer.md").write_text(comment(data, found, settings, digest), "utf-8")
    text = json.dumps(content, indent=2, allow_nan=False)
    (options.output_dir / "answer.json").write_text(f"{text}\n")
    return 0
