"""Why is a configuration slower? The parts of a step that take longer than in the fastest one."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from matplotlib.axes import Axes

from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.stats import SLOWER, half_width
from millistep.analysis.words import listed, number

TITLE = "Where the time goes"
IDLE, STEP, OTHER, PRODUCTS = "idle time", "step", "other", "products and attention"
# XLA's fusions for a CPU library have no names of their operations: products are among them.
UNNAMED, MOST_UNNAMED = "products and unnamed operations", 0.25  # share of a step
SHOWN = 0.05  # of the gap; smaller parts are in the CSV only
MOST_REASONS = 3  # of one sentence
LEAST_REST = 0.05  # of a difference that other parts make smaller, for it to be named
COSTS = ("spread", "idle", "busy")  # where the time that the profiler adds may lie
COLUMNS = [*CELL, "workload", "title", "fastest", "fastest_title", "standing", "part", "ms"]
COLUMNS += ["fastest_ms", "more_ms", "low_ms", "high_ms", "gap_ms", "reason"]


@cache
def _rules() -> list[tuple[str, dict[str, re.Pattern[str]]]]:
    entries = yaml.safe_load(Path(__file__).with_name("operation_groups.yaml").read_text("utf-8"))
    return [
        (entry.pop("group"), {key: re.compile(text, re.I | re.X) for key, text in entry.items()})
        for entry in entries
    ]


@cache
def group_of(name: str) -> str:
    """Return the group of an operation by its name in a record."""
    operation, _, place = name.rpartition(" in ")
    parts = {"operation": operation or place, "place": place if operation else ""}
    for group, rule in _rules():
        if all(pattern.search(parts[key]) for key, pattern in rule.items()):
            return group
    return OTHER


def operations(data: Data) -> pd.DataFrame:
    """Return a line per run and operation with its group; unlisted operations are one line."""
    rest = data.runs.reindex(columns=[*RUN, "host_overhead.rest_ms"]).set_axis([*RUN, "ms"], axis=1)
    found = pd.concat([data.operations, rest.query("ms > 0").assign(name="unlisted operations")])
    return found.assign(group=found["name"].map(group_of))


@lru_cache(maxsize=1)
def parts(data: Data) -> pd.DataFrame:
    """Return ms of the cell's step by part and run, for each place of the profiler's own cost."""
    needed = ["plain_ms", "profiler_slowdown", "accelerator", "host_overhead.step_ms"]
    runs = data.runs.loc[data.runs["used"]].reindex(columns=[*RUN, *needed])
    runs = runs.merge(data.cells[[*CELL, "ms"]], on=CELL)
    runs = runs.dropna(subset=["host_overhead.step_ms", "ms"]).set_index(RUN)
    if runs.empty:
        return pd.DataFrame()
    busy = operations(data).pivot_table("ms", RUN, "group", aggfunc="sum", fill_value=0.0)
    busy = busy[busy.index.isin(runs.index)]
    runs = runs.loc[busy.index]
    timed, on_cpu = runs["ms"], runs["accelerator"] == "cpu"
    profiled = runs["host_overhead.step_ms"].where(on_cpu, timed)  # a GPU times its own kernels
    idle = (1 - busy.sum(axis=1) / profiled).clip(lower=0)
    slowed = runs["profiler_slowdown"].where(on_cpu, timed / runs["plain_ms"])
    shares = {"spread": idle, "idle": 1 - (1 - idle) * slowed}
    shares["busy"] = idle * slowed.where(on_cpu, 1.0)
    found = {}
    for cost, share in shares.items():
        share = share.clip(0, 1)
        of_step = busy.mul(timed * (1 - share) / busy.sum(axis=1), axis=0)
        found[cost] = of_step.assign(**{IDLE: timed * share, STEP: timed})
    return pd.concat(found, names=["cost"])


def idle_shares(data: Data) -> pd.DataFrame:
    """Return the idle share of each profiled cell and the most that a faster host could bring."""
    found = parts(data)
    if found.empty:
        return pd.DataFrame(columns=[*CELL, "idle_share", "most_by_faster_host"])
    of_runs = found.xs("spread")
    share = (of_runs[IDLE] / of_runs[STEP]).groupby(level=CELL, sort=False).mean()
    return share.to_frame("idle_share").assign(most_by_faster_host=1 / (1 - share)).reset_index()


def table(data: Data) -> pd.DataFrame:
    """Return a line per cell and part with the ms more than in the fastest of the workload.

    `low_ms` and `high_ms` are the lowest and highest ends of the intervals, for all places of the
    two profilers' costs. Where several rounds were profiled, intervals are over these. One profile
    has none: its parts get the half-width of the difference of the two cells, from all rounds.
    """
    found = parts(data)
    if found.empty:
        return pd.DataFrame(columns=COLUMNS)
    of_cost = {cost: found.xs(cost) for cost in COSTS}
    cells = data.cells[data.cells["comparable"]]
    runs = of_cost["spread"].index.to_frame(index=False).merge(cells, on=CELL)
    runs = runs[runs["configuration"] != runs["fastest"]]
    fastest = pd.MultiIndex.from_frame(runs.assign(configuration=runs["fastest"])[RUN])
    shared = fastest.isin(of_cost["spread"].index)
    own, fastest = pd.MultiIndex.from_frame(runs.loc[shared, RUN]), fastest[shared]
    ends = cells.set_index(CELL)
    widths = (ends["ratio_high"] - ends["ratio_low"]) / 2
    means, lows, highs = {}, [], []
    for cost, of_fastest in product(COSTS, COSTS):
        slow, fast = of_cost[cost].loc[own], of_cost[of_fastest].loc[fastest].set_axis(own)
        slow, fast = named_alike(slow, fast)
        more = (slow - fast).groupby(level=CELL, sort=False)
        number = more.size()
        half = more.sem().mul(half_width(1.0, number), axis=0)
        noise_ms = fast[STEP].groupby(level=CELL, sort=False).mean() * widths
        half = half.where(number > 1, noise_ms.reindex(number.index), axis=0)
        lows.append(more.mean() - half)
        highs.append(more.mean() + half)
        if cost == of_fastest == "spread":
            frames = {"ms": slow, "fastest_ms": fast, "more_ms": slow - fast}
            means = {name: of.groupby(level=CELL, sort=False).mean() for name, of in frames.items()}
    ends = {"low_ms": np.minimum.reduce(lows), "high_ms": np.maximum.reduce(highs)}
    like = means["more_ms"]
    means |= {name: pd.DataFrame(end, like.index, like.columns) for name, end in ends.items()}
    found = pd.concat({name: frame.stack() for name, frame in means.items()}, axis=1)
    return _with_reasons(found.rename_axis(index={"group": "part"}).reset_index(), data)


def named_alike(slow: pd.DataFrame, fast: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Put products together with unnamed operations where one of both has many of these."""
    sides = [
        side.reindex(columns=side.columns.union([OTHER, PRODUCTS]), fill_value=0.0)
        for side in (slow, fast)
    ]
    many = pd.concat([side[OTHER] / side[STEP] for side in sides], axis=1).max(axis=1)
    many = many >= MOST_UNNAMED
    if not many.any():
        return slow, fast
    found = []
    for side in sides:
        both = side[[OTHER, PRODUCTS]]
        side = side.assign(**{UNNAMED: both.sum(axis=1).where(many, 0.0)})
        found.append(side.assign(**{name: both[name].mask(many, 0.0) for name in both}))
    return found[0], found[1]


def _with_reasons(found: pd.DataFrame, data: Data) -> pd.DataFrame:
    """Add names, the gap of each cell and whether a part is a reason for it."""
    gaps = found[found["part"] == STEP].rename(columns={"more_ms": "gap_ms"})
    found = found.merge(gaps[[*CELL, "gap_ms"]], on=CELL)
    shown = found["low_ms"] * found["high_ms"] > 0
    large = found["more_ms"].abs() >= SHOWN * found["gap_ms"].abs()
    found["reason"] = shown & large & (found["part"] != STEP)
    names = ["workload", "title", "fastest", "standing"]
    found = found.merge(data.cells[[*CELL, *names]], on=CELL)
    titles = data.configurations.set_index("configuration")["title"]
    return found.assign(fastest_title=found["fastest"].map(titles))[COLUMNS]


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'BERT fit: Keras 3 (PyTorch) takes 34 ms more per step than ...: 22
    ms idle time, ...'; the largest difference of each configuration comes first.
    """
    steps = table[table["part"] == STEP].set_index(CELL)
    size = (steps["gap_ms"] / steps["fastest_ms"]).rename("size")
    rank = size.groupby(level="configuration", sort=False).rank(ascending=False).rename("rank")
    table = table.join(rank, on=CELL).join(-size, on=CELL)
    table = table.sort_values(["rank", "size"], kind="stable")
    reasons = table[table["reason"] & (table["standing"] == SLOWER)]
    cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in reasons.to_dict("records"):
        cells.setdefault(tuple(line[name] for name in CELL), []).append(line)
    found = []
    for lines in cells.values():
        lines.sort(key=lambda line: -abs(line["more_ms"]))
        lines = lines[:MOST_REASONS]
        parts = [f"{number(line['more_ms'], 2)} ms {line['part']}" for line in lines]
        first = lines[0]
        less_ms = sum(line["more_ms"] for line in lines) - first["gap_ms"]
        less = f", but {number(less_ms, 2)} ms less in other parts"
        found.append(
            f"{first['workload']}: {first['title']} takes {number(first['gap_ms'], 2)} ms more per "
            f"step than {first['fastest_title']}: {listed(parts)}"
            f"{less if less_ms > LEAST_REST * first['gap_ms'] else ''}."
        )
    return found


def figure(data: Data, panels: Iterable[Axes]) -> None:
    """Draw the parts of a step as a stacked bar per configuration, a panel per workload."""
    found = parts(data)
    if found.empty:
        return
    means = found.xs("spread").drop(columns=STEP).groupby(level=CELL, sort=False).mean()
    titles = data.configurations.set_index("configuration")["title"]
    labels = data.workloads.set_index(WORKLOAD)["workload"]
    workloads = means.groupby(level=WORKLOAD, sort=False)
    for axes, (workload, of) in zip(panels, workloads, strict=False):
        of.droplevel(WORKLOAD).rename(titles.to_dict()).plot.barh(
            stacked=True, ax=axes, legend=False
        )
        axes.set(title=labels.loc[workload], xlabel="ms per step", ylabel="")
