"""Compare two archives or folders of results: a ratio per cell, and what else differs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis import stats, tables
from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.report.page import write_page
from millistep.analysis.report.setting import outcomes, where
from millistep.analysis.topics.pairs import verdicts
from millistep.analysis.words import count, listed, markdown, ms, one_line, within

SIDES = ("base", "other")
METHOD = (
    "Ratio: time of the other over that of the base, below 1 if the other is faster, with Welch's"
    " 95 % interval on logarithms of run means. Verdicts use Holm's correction per workload. The"
    " state of the machine on each day is a part of each ratio."
)
BANNER = "The machines differ, and each ratio includes their difference. So there are no verdicts."
PLAN = ("scale", "accelerator", "precision", "weights", "seed", "runs")
KINDS = ["setting", "machine", "version", "metadata"]
SHOWN = ["Workload", "Batch size", "Framework", "Base, ms", "Other, ms", "Ratio", "Verdict", "Note"]
COLUMNS = [*CELL, "workload", "title", "ms_base", "runs_base", "ms_other", "runs_other"]
COLUMNS += ["ratio", "low", "high", "verdict", "note"]
OF_CELL = ["workload", "title", "ms", "runs", "why_excluded"]


def cells(base: Data, other: Data) -> pd.DataFrame:
    """Return a line per cell of either side: CELL, times, ratio with interval, verdict, note."""
    # Not of the standings: within one result, a cell may have nothing to be compared with.
    sides = (data.timed[[*CELL, *OF_CELL]] for data in (base, other))
    found = pd.merge(*sides, on=CELL, how="outer", suffixes=("_base", "_other"), indicator="in")
    for name in ("workload", "title"):
        found[name] = found[f"{name}_base"].fillna(found[f"{name}_other"])
    frames = (data.runs[data.runs["used"]].set_index(CELL) for data in (base, other))
    runs = [dict(list(frame.groupby(level=CELL, sort=False))) for frame in frames]
    lines = []
    for line in found.to_dict("records"):
        own = [side.get(tuple(line[name] for name in CELL)) for side in runs]
        note = _note(line, base, other, own)
        lines.append((note, *(stats.NO_RATIO if note else _ratio(*own))))
    names = ["note", "ratio", "low", "high", "p", "rounds"]
    found[names] = pd.DataFrame(lines, columns=names)
    p = found.groupby(WORKLOAD, sort=False)["p"].transform(stats.holm)
    judged = verdicts(found.assign(speedup=1 / found["ratio"], p=p))
    found["verdict"] = None if machines_differ(base, other) else judged
    return found[COLUMNS]


def machines_differ(base: Data, other: Data) -> bool:
    """Return whether the two were measured on more than one machine."""
    runs = pd.concat([data.runs[["accelerator", "machine.id"]] for data in (base, other)])
    ids = runs.groupby("accelerator")["machine.id"].nunique()  # an id for each device of a machine
    return bool((ids > 1).any())


def _note(line: dict[str, Any], base: Data, other: Data, runs: list[Any]) -> str:
    """Return why two cells have no ratio."""
    if line["in"] != "both":
        return "only in the base" if line["in"] == "left_only" else "only in the other"
    plans = (base.plan, other.plan)
    models = [plan["models"][line["model"]].get("architecture") for plan in plans]
    if plans[0]["scale"] != plans[1]["scale"] or models[0] != models[1]:
        return "another scale or architecture"
    reasons = {side: line[f"why_excluded_{side}"] for side in SIDES}
    excluded = [f"{side}: {one_line(reason, 100)}" for side, reason in reasons.items() if reason]
    starts = ({*zip(of["session"], of["started_at"], strict=True)} for of in runs)
    if not excluded and set.intersection(*starts):
        return "runs in common"
    return "; ".join(excluded)


def _ratio(base: pd.DataFrame, other: pd.DataFrame) -> stats.Ratio:
    """Return Welch's ratio; machines are the independent values if there are several."""
    values = []
    for side in (base, other):
        logs = np.log(side["ms_per_step"])
        of_machines = logs.groupby(side["machine.id"].fillna("")).mean()
        values.append(np.exp(of_machines if len(of_machines) > 1 else logs))
    return stats.welch(*values)


def differences(base: Data, other: Data) -> pd.DataFrame:
    """Return a line per setting, fact of the machine, version or metadata entry that differs."""
    frames = (pd.DataFrame(_facts(d), columns=["what", "entry", "value"]) for d in (base, other))
    values = [
        frame.drop_duplicates().groupby(["what", "entry"], sort=False)["value"].agg(listed)
        for frame in frames
    ]
    found = pd.concat(values, axis=1, keys=SIDES, sort=False)
    found = found[found["base"].ne(found["other"])].fillna("absent").reset_index()
    return found.sort_values("what", key=lambda of: of.map(KINDS.index), kind="stable")


def _facts(data: Data) -> Iterator[tuple[str, str, str]]:
    yield from (("setting", name, str(data.plan[name])) for name in PLAN)
    nested = {name: entry.get("architecture") for name, entry in data.plan["models"].items()}
    for name, value in pd.json_normalize(nested | (data.plan.get("further") or {})).items():
        yield "setting", name, str(value.iloc[0])
    for line in data.machines.dropna(subset="value").itertuples():
        yield "machine", f"{line.section}: {line.name}", str(line.value)
    types = {"step_ms": float, "accelerator": str, "dtype": str, "size": str}
    products = data.references.dropna(subset="step_ms").astype(types)
    kinds = "reference workload, " + products["accelerator"] + " " + products["dtype"]
    logs = np.log(products["step_ms"]).groupby(kinds + " " + products["size"]).mean()
    for kind, log in logs.items():
        yield "machine", kind, f"{ms(np.exp(log))} ms"
    versions = data.packages.merge(data.runs.reindex(columns=[*RUN, "environment.name"]), on=RUN)
    names = ["environment.name", "package", "version"]
    for environment, package, version in versions[names].drop_duplicates().to_numpy():
        yield "version", f"{environment}: {package}", str(version)
    metadata = data.metadata.merge(data.planned[[*CELL, "title"]], on=CELL)
    for title, entry, value in metadata[["title", "entry", "value"]].drop_duplicates().to_numpy():
        yield "metadata", f"{title}: {entry}", one_line(value, 100)


def shown(found: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of `cells` as texts."""
    lines = [
        (c.workload, c.batch_size, c.title, ms(c.ms_base), ms(c.ms_other),
         within(c.ratio, c.low, c.high), c.verdict or "", c.note)
        for c in found.itertuples()
    ]  # fmt: skip
    return pd.DataFrame(lines, columns=SHOWN)


def compare(base: Data, other: Data, names: tuple[str, str], output: Path) -> None:
    """Write the comparison as HTML, Markdown and CSV."""
    found, differing = cells(base, other), differences(base, other)
    facts = []
    for side, name, data in zip(SIDES, names, (base, other), strict=True):
        about = f"{name}: {where(data, data.runs)}; runs: {outcomes(data.runs)}"
        facts.append((side.capitalize(), about))
    page: dict[str, Any] = {
        "title": "Millistep: two results compared",
        "facts": facts,
        "method": METHOD,
    }
    words = found["verdict"].value_counts(sort=False).items()
    told = listed(f"{word} in {count(number, 'cell')}" for word, number in words)
    page |= {"banner": BANNER if machines_differ(base, other) else ""}
    page |= {"result": f"Verdicts on the other: {told}."}
    frames = {"cells": shown(found), "differences": differing}
    write_page(output, "comparison.html.j2", page | frames)
    tables.write_csv(found, output.with_suffix(".csv"))
    parts = ["# Two results compared", *(f"{term}: {markdown(text)}" for term, text in facts)]
    parts += [page["banner"], page["result"], METHOD]
    for title, frame in frames.items():
        texts = frame.map(lambda value: markdown(str(value)))
        parts += [f"## {title.capitalize()}", texts.to_markdown(index=False, disable_numparse=True)]
    output.with_suffix(".md").write_text("\n\n".join(filter(None, parts)) + "\n", "utf-8")
