"""The answer to a pull request, as a comment in Markdown and as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis.answer import POWER, UNDECIDED, answer, status
from millistep.analysis.archive import contents
from millistep.analysis.caveats import caveats
from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.load import InputError, project_of, violation
from millistep.analysis.report import summary
from millistep.analysis.report.setting import where
from millistep.analysis.words import (
    NA,
    count,
    environment,
    escaped,
    listed,
    markdown,
    ms,
    one_line,
    percent,
    within,
)
from millistep.contracts.results import Answer

VERDICTS = {
    "slower": "slower by more than {}",
    "faster": "faster by more than {}",
    "tied": "tied within {}",
    "inconclusive": "inconclusive",
}
MOST_CAVEATS = 4
OF_STANDINGS = ["means_and_ratios", "resolution"]  # caveats of what the comment does not have
LARGE = 10_000  # counts whose change is not seen at a glance
MOST_FUNCTIONS = 3  # of a workload in the comment
COUNTS = ("operations", "calls", "allocated")
JSON = ["base", "new", *WORKLOAD, "ratio", "low", "high", "null_ratio", "null_low", "null_high"]
JSON += ["rounds", "verdict", "smallest_shown", "failure", "missing", "work"]
JSON += [f"{name}_{side}" for name in COUNTS for side in ("base", "null", "new")]


def write(data: Data, plan: Path, settings: dict[str, Any], folder: Path) -> None:
    """Write answer.md and answer.json; settings: threshold, looks, last, left_out, report."""
    found = answer(data, settings["threshold"], settings["looks"], settings["last"])
    content = as_json(found, seconds(data), settings["left_out"])
    if problem := violation(content, Answer):
        raise InputError(f"answer.json: {problem}")
    digest = contents.digest(data.plan, project_of(plan, data.plan))
    (folder / "answer.md").write_text(comment(data, found, settings, digest), "utf-8")
    text = json.dumps(content, indent=2, allow_nan=False)
    (folder / "answer.json").write_text(f"{text}\n")


def _several(found: pd.DataFrame) -> bool:
    return bool(found["new"].nunique() > 1)


def headline(found: pd.DataFrame, threshold: float, left_out: Mapping[str, str]) -> str:
    """Return what is shown, the worst first; left_out: failures by workload, '' without one."""
    several = _several(found)
    total = count(len(found), "comparison" if several else "workload")
    failed: dict[str, list[str]] = {}
    names = [*found["workload"], *left_out]
    for place, failure in zip(names, [*found["failure"], *left_out.values()], strict=True):
        failed.setdefault(failure, []).append(markdown(place))
    parts = [f"{failure} in {listed(failed[failure])}" for failure in sorted(failed) if failure]
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
    """Return the comment in Markdown, with the settings of `write`."""
    pairs = found[["title_new", "title_base"]].drop_duplicates()
    labels = found["workload"] + (", " + found["title_new"] if _several(found) else "")
    lines = found.assign(label=labels.map(markdown)).to_dict("records")
    warned = caveats(data)
    shown = warned["severity"].isin(["critical", "warning"]) & ~warned["kind"].isin(OF_STANDINGS)
    warned = warned[shown].head(MOST_CAVEATS)
    runs = data.runs[data.runs["ok"]]
    return environment().get_template("answer.md.j2").render(
        headline=headline(found, settings["threshold"], settings["left_out"]),
        pair=escaped(listed(pairs["title_new"] + " against " + pairs["title_base"])),
        where=escaped(where(data, runs)),
        rows=[_row(line, settings["threshold"]) for line in lines],
        over=f"{count(len(found), 'comparison')} and {count(settings['looks'], 'look')}",
        power=percent(POWER),
        undecided=status(found, settings["left_out"]) == UNDECIDED and not found["decided"].all(),
        left_out=listed(map(markdown, settings["left_out"])) if settings["left_out"] else "",
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
            name: _count(*(line[f"{name}_{n}"] for n in ("base", "null", "new"))) for name in COUNTS
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
    if base == new:
        return _whole(base)
    difference = f" ({_whole(new - base, '+')})" if min(base, new) >= LARGE else ""
    return f"{_whole(base)} \u2192 {_whole(new)}{difference}"


def _whole(count: float, sign: str = "") -> str:
    return f"{count:{sign},.0f}" if count == round(count) else f"{count:{sign},.1f}"


def _change(ratio: float) -> str:
    return percent(ratio - 1, signed=True)


def changed_calls(data: Data, line: dict[str, Any]) -> list[str]:
    """Return the functions whose calls the patch changes most: 'f: 12 -> 8'; only exact counts."""
    by_function = data.calls.pivot_table(index="name", columns=CELL, values="per_step")
    workload = [line[name] for name in WORKLOAD]
    cells = [(*workload, line[side]) for side in ("base", "null", "new")]
    if any(cell not in by_function.columns for cell in cells):
        return []
    # A record lists the most frequent functions. If all are listed, one that is not has no calls.
    totals = [line[f"calls_{side}"] for side in ("base", "null", "new")]
    whole = np.isclose(by_function[cells].sum(), totals)
    base, null, new = (
        by_function[cell].fillna(0 if all_listed else np.nan)
        for cell, all_listed in zip(cells, whole, strict=True)
    )
    change = (new - base)[base.eq(null)]
    names = change[change.abs() >= 1].abs().sort_values(ascending=False).index[:MOST_FUNCTIONS]
    return [
        f"`{one_line(name).replace('`', '')}`: {base[name]:g} \u2192 {new[name]:g}"
        for name in names
    ]


def seconds(data: Data) -> dict[str, float]:
    """Return what a round of each workload takes, by 'model/task/batch size'."""
    took = summary.workloads(data)
    keys = took[WORKLOAD].itertuples(index=False, name=None)
    return {"/".join(map(str, key)): s for key, s in zip(keys, took["round_s"], strict=True)}


def as_json(
    found: pd.DataFrame, of_a_round: dict[str, float], left_out: Mapping[str, str]
) -> dict[str, Any]:
    """Return the answer for the program that decides whether to measure on."""
    rows = json.loads(found[JSON].to_json(orient="records", double_precision=15))
    return {
        **{"schema": "millistep.answer/1", "status": status(found, left_out)},
        **{"decided": bool(found["decided"].all()), "seconds_of_a_round": of_a_round},
        "rows": rows,
    }
