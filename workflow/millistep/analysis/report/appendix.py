"""The appendix: per workload its cells, observed settings and runs; then the machine and versions.

Every table is a frame of texts. The row of a cell has the id that all pages link to.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis import stats, tables
from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.report import setting
from millistep.analysis.report.page import IN_APPENDIX, picture, write_page
from millistep.analysis.topics import TOPICS
from millistep.analysis.topics.why import group_of, idle_shares
from millistep.analysis.words import (
    NA,
    anchor,
    count,
    flops,
    listed,
    ms,
    number,
    one_line,
    percent,
    times,
    within,
)

LONGEST, SHOWN = 10, 5  # operations of a cell in operations.csv, in the appendix
MOST_RUNS = 2000  # in the run tables; runs.csv has all
MOST_FAILURES = 40
CAPTIONS = {name: topic.TITLE for name, topic in TOPICS.items()}
CAPTIONS |= {"rounds": "Every timing window, as a deviation from the mean of its cell"}
RUN_COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "ms/step": ("ms_per_step", ms),
    "CV": ("window_cv", percent),
    "Windows": ("windows", "{:.0f}".format),
    "Steps": ("steps", "{:.0f}".format),
    "State": ("state", str),
    "Import, s": ("timing.import_s", number),
    "Build": ("timing.build_s", number),
    "First step": ("timing.first_step_s", number),
    "Caches": ("timing.compile_cache", str),
    "Host, MiB": ("memory.peak_rss_mib", "{:,.0f}".format),
    "Device, MiB": ("memory.peak_device_mib", "{:,.0f}".format),
    "Others' CPU": ("load.foreign_cpu_share", percent),
}
FIRST = ("framework_version", "execution", "compiler", "dtype", "matmul_precision", "attention")


def write(data: Data, folder: Path, drawn: Sequence[str]) -> None:
    """Write appendix.html and operations.csv."""
    longest = longest_operations(data)
    tables.write_csv(longest, folder / "operations.csv")
    figures = [name for name in IN_APPENDIX if name in drawn]
    page = {
        "title": setting.title(data),
        "workloads": workloads(data, longest),
        "failures": failures(data),
        "too_many": count(len(data.runs), "run") if len(data.runs) > MOST_RUNS else "",
        "tables": [
            (title, frame)
            for title, frame in (
                ("Self-test: the timer where the truth is known", self_test(data)),
                ("Reference workload: the same fixed work in every round", references(data)),
                ("Versions of the libraries", versions(data)),
                ("System description", machines(data)),
            )
            if len(frame)
        ],
        "pictures": {name: (CAPTIONS[name], picture(name, folder)) for name in figures},
    }
    write_page(folder / "appendix.html", "appendix.html.j2", page)


def longest_operations(data: Data) -> pd.DataFrame:
    """Return the longest operations of each cell: mean ms per step over its profiled runs."""
    profiled = data.operations.groupby(CELL, sort=False)["run"].nunique().rename("profiled_runs")
    sums = data.operations.groupby([*CELL, "name"], sort=False)[["ms", "launched"]].sum()
    found = sums.reset_index().join(profiled, on=CELL)
    for name in ("ms", "launched"):  # an operation that a run does not list counts as 0
        found[name] = found[name] / found.get("profiled_runs", 1)
    found = found.sort_values("ms", ascending=False, kind="stable")
    found = found.groupby(CELL, sort=False).head(LONGEST)
    found = found.assign(group=found["name"].map(group_of))
    return data.planned[CELL].merge(found, on=CELL)


def workloads(data: Data, longest: pd.DataFrame) -> list[dict[str, Any]]:
    """Return title, anchor and tables of each workload."""
    cells, runs = cell_table(data, longest), run_table(data)
    observed = settings(data)
    found = []
    for key, of in data.cells[[*CELL, "workload"]].groupby(WORKLOAD, sort=False):
        own = runs.loc[runs.index.isin([key])] if len(runs) else runs
        found.append(
            {
                "title": of["workload"].iloc[0],
                "anchor": anchor(key),
                "cells": cells.loc[of.index],
                "ids": [anchor(cell) for cell in of[CELL].itertuples(index=False, name=None)],
                "settings": observed.get(key, pd.DataFrame()),
                "runs": own,
            }
        )
    return found


def cell_table(data: Data, longest: pd.DataFrame) -> pd.DataFrame:
    """Return a line per cell: time, standing, resources, longest operations."""
    cells = data.cells
    top = longest.groupby(CELL, sort=False).head(SHOWN)
    labels = [f"{one_line(line.name, 48)} {number(line.ms)} ms" for line in top.itertuples()]
    top = top.assign(top=pd.Series(labels, top.index, dtype=object))
    named = top.groupby(CELL, sort=False)["top"].agg("; ".join)
    found = cells.join(named, on=CELL)
    found = found.merge(idle_shares(data), on=CELL, how="left").set_axis(cells.index)
    return pd.DataFrame(
        {
            "Framework": found["title"],
            "ms/step": [
                within(value, low, high, ms)
                for value, low, high in found[["ms", "low", "high"]].to_numpy()
            ],
            "Standing": [
                f"excluded: {one_line(why, 160)}" if why else standing
                for standing, why in found[["standing", "why_excluded"]].to_numpy()
            ],
            "To fastest": [
                within(*ends) if ends[1] != ends[2] else times(ends[0])
                for ends in found[["ratio", "ratio_low", "ratio_high"]].to_numpy()
            ],
            "FLOP/s": found["flops_per_s"].map(lambda rate: f"{flops(rate)}/s", na_action="ignore"),
            "Of best": found["share_of_best"].map(percent, na_action="ignore"),
            "Synchronized, ms": found["synchronized_ms"].map(ms, na_action="ignore"),
            "Original method, ms": found["legacy_ms"].map(ms, na_action="ignore"),
            "J/step": found["joules_per_step"].map(number, na_action="ignore"),
            "Idle": found["idle_share"].map(percent, na_action="ignore"),
            "Longest operations": found["top"],
        }
    ).pipe(_texts)


def run_table(data: Data) -> pd.DataFrame:
    """Return a line per measured run, indexed by WORKLOAD; nothing if there are too many."""
    runs = data.runs[data.runs["ok"]]
    runs = runs.reindex(columns=[*RUN, "title", *(name for name, _ in RUN_COLUMNS.values())])
    if len(runs) > MOST_RUNS:
        runs = runs.iloc[:0]
    texts = {
        title: runs[name].map(spell, na_action="ignore")
        for title, (name, spell) in RUN_COLUMNS.items()
        if runs[name].notna().any()
    }
    found = pd.DataFrame({"Framework": runs["title"], "Run": runs["run"].astype(str), **texts})
    return _texts(found).set_index(pd.MultiIndex.from_frame(runs[WORKLOAD]))


def settings(data: Data) -> dict[tuple[Any, ...], pd.DataFrame]:
    """Return, by workload, a line per observed setting with the value of each configuration."""
    metadata = data.metadata
    if metadata.empty:
        return {}
    values = metadata.drop_duplicates([*CELL, "entry", "value"])
    several = values.duplicated([*CELL, "entry"], keep=False)
    joined = values[several].groupby([*CELL, "entry"], sort=False)["value"].agg(listed)
    values = pd.concat([values[~several], joined.reset_index()])
    titles = data.configurations.set_index("configuration")["title"]
    wide = values.pivot(index=[*WORKLOAD, "entry"], columns="configuration", values="value")
    wide = wide[[name for name in titles.index if name in wide]]
    first = {name: place for place, name in enumerate(FIRST)}
    wide = wide.sort_index(
        level="entry", key=lambda of: of.map(lambda name: (first.get(name, len(FIRST)), name))
    )
    wide = _texts(wide.rename(columns=titles).reset_index("entry"))
    wide["entry"] = wide["entry"].str.replace("_", " ")
    wide = wide.rename(columns={"entry": "Observed setting"})
    return {key: _used(of) for key, of in wide.groupby(WORKLOAD, sort=False)}


def failures(data: Data) -> list[tuple[str, str]]:
    """Return the runs that ended without a time, each with the last lines of its log."""
    failed = data.runs[~data.runs["status"].isin(["ok", "not measured"])]
    failed = failed.drop_duplicates([*CELL, "status", "reason"])
    found = []
    for run in failed.head(MOST_FAILURES).itertuples():
        ended = f"{run.status}, {one_line(run.reason or '')}"
        log = run.log_tail if isinstance(run.log_tail, str) else ""
        found.append((f"{run.title}, {run.workload}, run {run.run}: {ended}", log))
    more = len(failed) - MOST_FAILURES
    return found + ([(f"{count(more, 'further reason')} in runs.csv", "")] if more > 0 else [])


def self_test(data: Data) -> pd.DataFrame:
    """Return what the timer reads for steps of known duration and for one cell under two names."""
    test = data.self_test or {}
    lines = []
    for step in test.get("known_steps") or []:
        error = percent(step["measured_ms"] / step["nominal_ms"] - 1, signed=True)
        lines.append((f"step of {step['nominal_ms']:g} ms", ms(step["measured_ms"]), error))
    if same := test.get("same_cell"):
        sides = (pd.Series(same[side], dtype=float) for side in ("b_ms", "a_ms"))
        ratio = stats.paired(*sides)
        name = f"A/A test: {same['model']} {same['task']} on {same['column']}, ratio of times"
        error = percent(ratio.ratio - 1, signed=True)
        lines.append((name, within(ratio.ratio, ratio.low, ratio.high), error))
    return pd.DataFrame(lines, columns=["Known work", "Measured", "Error"])


def references(data: Data) -> pd.DataFrame:
    """Return the spread of the reference workload over all rounds."""
    found = data.references.dropna(subset="flops_per_s")
    lines = []
    for (device, dtype, size), of in found.groupby(["accelerator", "dtype", "size"]):
        low, middle, high = np.quantile(of["flops_per_s"].astype(float), [0, 0.5, 1])
        spread = f"{flops(low)}/s to {flops(high)}/s"
        name = f"matrix product on {device}, {dtype}, size {size:.0f}"
        lines.append((name, f"{len(of)}", f"{flops(middle)}/s", spread))
    return pd.DataFrame(lines, columns=["Work", "Times", "Median", "Range"])


def versions(data: Data) -> pd.DataFrame:
    """Return the versions of the main libraries in each environment."""
    names = data.runs.reindex(columns=[*RUN, "environment.name", "environment.python"])
    found = data.packages[data.packages["package"].isin(setting.LIBRARIES)].merge(names, on=RUN)
    found = found.drop_duplicates(["environment.name", "environment.python", "package", "version"])
    if found.empty:
        return pd.DataFrame()
    wide = found.pivot_table(
        "version", "environment.name", "package", aggfunc=lambda of: listed(of)
    )
    pythons = found.groupby("environment.name")["environment.python"].agg(
        lambda of: listed(of.dropna().unique())
    )
    wide.insert(0, "Python", pythons)
    return _texts(wide.rename_axis("Environment").reset_index())


def machines(data: Data) -> pd.DataFrame:
    """Return the facts of each kind of machine; equal machines share a line."""
    facts = data.machines.fillna({"value": NA}).astype(str)
    keys = ["section", "name", "value"]
    found = facts.groupby(keys, sort=False)["machine"].agg(lambda of: listed(of.unique()))
    found = found.reset_index().set_axis(["Section", "Fact", "Value", "Machine"], axis=1)
    return _texts(found.drop(columns="Machine") if facts["machine"].nunique() < 2 else found)


def _texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of texts without the columns that have none."""
    return _used(frame.astype(object).where(frame.notna(), NA))


def _used(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.loc[:, (frame != NA).any()]
