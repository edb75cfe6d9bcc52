"""Pairwise comparisons: configurations that differ in one setting, per workload.

Two configurations are a pair if they have the same framework and differ in one setting; or if one
framework is registered to be compared with the other (`against`) and all settings that both take
are equal. If several differ only in the values of one setting, one is the base of the others.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from millistep.analysis import stats
from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.stats import ALPHA, INCONCLUSIVE, SLOWER, TIE, TIED, holm
from millistep.analysis.words import count, listed, some

TITLE = "Pairwise comparisons"
MOST_LINES = 40  # of a panel; the CSV has all
FASTER, FRAMEWORK = "faster", "framework"
PARAMETERS = "different numbers of parameters"
QUESTION = ["question", "setting", "from", "to", "base", "new"]
COLUMNS = [*QUESTION, "base_title", "new_title", *WORKLOAD, "workload", "base_ms", "new_ms"]
COLUMNS += ["speedup", "low", "high", "rounds", "verdict", "excluded"]


def questions(data: Data) -> pd.DataFrame:
    """Return a line per pair of configurations; frameworks first, then settings."""
    entries = data.plan["columns"]
    distinct = {_key(entry["framework"], entry["settings"]): entry for entry in reversed(entries)}
    entries = [entry for entry in entries if entry in distinct.values()]
    lines = [*_of_frameworks(entries), *_of_settings(entries)]
    return pd.DataFrame(lines, columns=QUESTION)


def _of_frameworks(entries: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for new in entries:
        for base in entries:
            shared = base["settings"].keys() & new["settings"].keys()
            same = all(base["settings"][name] == new["settings"][name] for name in shared)
            if base["framework"] in new["against"] and same:
                names = (base["framework"], new["framework"], base["name"], new["name"])
                yield (new["against"][base["framework"]], FRAMEWORK, *names)


def _of_settings(entries: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for setting in dict.fromkeys(name for entry in entries for name in entry["settings"]):
        groups: dict[str, list[dict[str, Any]]] = {}
        for entry in entries:
            if setting in entry["settings"]:
                others = {**entry["settings"], setting: None}
                groups.setdefault(_key(entry["framework"], others), []).append(entry)
        for group in groups.values():
            base, *news = sorted(group, key=lambda entry: _rank(setting, entry))
            for new in news:
                was, value = (_spelled(entry["settings"][setting]) for entry in (base, new))
                question = f"What does {setting} {value} change, instead of {was}?"
                yield (question, setting, was, value, base["name"], new["name"])


def _rank(setting: str, entry: dict[str, Any]) -> tuple[Any, int]:
    """Return a sort key; the lowest is the base: the CPU, the older stack, the fewest overrides."""
    value = entry["settings"][setting]
    first = {"accelerator": value != "cpu", "stack": value}
    place = len(value or ()) if setting == "overlay" else first.get(setting, 0)
    return place, entry["name"].count("+")


def _spelled(value: Any) -> str:
    """Return a value as the configuration has it."""
    if isinstance(value, list):
        return listed(value)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _key(*values: Any) -> str:
    return json.dumps(values, sort_keys=True)


def table(data: Data) -> pd.DataFrame:
    """Return a line per pair and workload; `speedup` is t(base) / t(new), paired by round.

    `excluded` gives the reason if there is no speed-up or no verdict.
    """
    asked = questions(data)
    cells = data.cells[[*CELL, "workload", "title", "ms", "comparable", "why_excluded"]]
    found = asked.merge(cells.rename(columns={"configuration": "base"}), on="base")
    new = cells.drop(columns="workload").rename(columns={"configuration": "new"})
    found = found.merge(new, on=[*WORKLOAD, "new"], suffixes=("_base", "_new"))
    ratios = data.ratios.rename(columns={"configuration": "new"})
    found = found.merge(ratios, on=[*WORKLOAD, "base", "new"], how="left")
    found["speedup"] = 1 / found["ratio"]
    found["low"], found["high"] = 1 / found["high"], 1 / found["low"]
    found["p"] = found.groupby(WORKLOAD, sort=False)["p"].transform(holm)
    found["same_work"] = same_work(data, found)
    found["verdict"] = verdicts(found).where(found["same_work"], None)
    sides = [(name, side) for name in ("title", "ms") for side in ("base", "new")]
    found = found.rename(columns={f"{name}_{side}": f"{side}_{name}" for name, side in sides})
    found["excluded"] = [_excluded(line) for line in found.to_dict("records")]
    order = {question: place for place, question in enumerate(dict.fromkeys(asked["question"]))}
    return found.sort_values("question", key=lambda of: of.map(order), kind="stable")[COLUMNS]


def same_work(data: Data, pairs: pd.DataFrame) -> np.ndarray:
    """Return whether base and new do the same work in a workload, as `stats.same_work` does."""
    pairs = pairs.assign(pair=range(len(pairs)))
    sides = (
        pairs[["pair", *WORKLOAD, side]].rename(columns={side: "configuration"})
        for side in ("base", "new")
    )
    cells = pd.concat(sides).merge(data.cells, on=CELL)
    found: np.ndarray = stats.same_work(cells, ["pair"]).groupby(cells["pair"]).all().to_numpy()
    return found


def verdicts(pairs: pd.DataFrame) -> pd.Series:
    """Return faster, slower, tied or inconclusive for the new side of each pair; None without p.

    `p` is corrected for the comparisons that are made with it.
    """
    shown = pairs["p"] <= ALPHA
    tied = (pairs["low"] >= 1 / (1 + TIE)) & (pairs["high"] <= 1 + TIE)
    words = np.select(
        [shown & (pairs["speedup"] > 1), shown & (pairs["speedup"] < 1), tied],
        [FASTER, SLOWER, TIED],
        INCONCLUSIVE,
    )
    return pd.Series(words, pairs.index, object).where(pairs["p"].notna(), None)


def _excluded(line: dict[str, Any]) -> str | None:
    """Return why a pair has no speed-up or no verdict in a workload."""
    if pd.notna(line["speedup"]):
        return None if line["same_work"] else PARAMETERS
    reasons = [
        f"{line[f'{side}_title']}: {line[f'why_excluded_{side}']}"
        for side in ("base", "new")
        if not line[f"comparable_{side}"]
    ]
    return "; ".join(reasons) or "no shared round"


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'What does Keras 3 change on TensorFlow? Faster in 2 (...) of 12
    comparisons.'
    """
    found = []
    for question, of in table.groupby("question", sort=False):
        compared = of.dropna(subset="verdict")
        if compared.empty:
            continue
        shown = []
        for word in (FASTER, SLOWER, TIED, INCONCLUSIVE):
            lines = compared[compared["verdict"] == word]
            names = f" ({some(lines['workload'], 2)})" if word in (FASTER, SLOWER) else ""
            shown += [f"{word} in {len(lines)}{names}"] if len(lines) else []
        text = f"{listed(shown)} of {count(len(compared), 'comparison')}"
        found.append(f"{question} {text[0].upper()}{text[1:]}.")
    return found


def figure(data: Data, panels: Iterable[Axes]) -> None:
    """Draw the speed-up of each pair with its interval, a panel per question."""
    for axes, (question, of) in zip(panels, table(data).groupby("question"), strict=False):
        of = of.dropna(subset="speedup").head(MOST_LINES)
        ends = [of["speedup"] - of["low"], of["high"] - of["speedup"]]
        axes.errorbar(of["speedup"], of["workload"], xerr=ends, fmt="o", capsize=2)
        axes.axvline(1.0, linewidth=0.8)
        axes.set(title=question, xscale="log", xlabel="times as fast")
