"""How much of a call of generate() can static padding cost?

KerasHub pads each prompt to `max_length` L and keeps a cache of that length for all n new tokens.
A call takes t = a + b n + c n L. The share of c n L at the workload's own n and L bounds the cost
of padding from above: it takes all positions as padding, also those that hold tokens.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.stats import t_means, with_ends
from millistep.analysis.topics.drawing import draw_lines
from millistep.analysis.topics.probes import of_fullest_runs, timed
from millistep.analysis.words import percent, times

TITLE = "Cost of static padding"
SLOW = 2.0  # times the fastest, from which padding is tested as the reason
LIKE = ["accelerator", "precision", "stack"]  # compared only within these
PADDING_FAMILIES = ("keras2", "keras3")  # if the metadata does not describe the cache
KIND = ["new_tokens", "max_length"]
EXPLAINS, NOT, OPEN, FAST = "explains", "does not explain", "inconclusive", "not slow"
BECAUSE = {
    EXPLAINS: "padding explains the difference",
    NOT: "padding is not the reason",
    OPEN: "whether padding is the reason is inconclusive",
}
COLUMNS = [*CELL, "workload", "title", "share", "low", "high", "runs", "unused", "fastest"]
COLUMNS += ["fastest_title", "ratio", "ratio_low", "ratio_high", "left_low", "left_high", "verdict"]


def calls(data: Data) -> pd.DataFrame:
    """Return ms per call by run, new tokens and length; the run's own kind comes first.

    Runs that timed one kind only, or generated no tokens, are left out.
    """
    found = timed(data).dropna(subset=KIND)
    found = found[found["samples"] == found["batch_size"]]
    found = found.assign(
        new_tokens=found["new_tokens"] // found["batch_size"],
        ms=found["elapsed_ns"] / found["steps"] / 1e6,
    )
    found = found[(found[KIND] > 0).all(axis=1)].rename(columns={"steps": "calls"})
    probes = found.groupby(RUN, sort=False)["probe"]
    both = (probes.transform("min") == 0) & (probes.transform("max") > 0)
    found = found.assign(spent_ms=found["ms"] * found["calls"]).loc[both]
    numbers = ["ms", *KIND, "spent_ms"]
    return found[[*RUN, *numbers, "calls"]].astype(dict.fromkeys(numbers, float))


def padding_shares(lines: pd.DataFrame) -> pd.Series:
    """Return the share of c n L in the own call of each run whose kinds separate the three terms.

    A time is weighted by the root of its number of calls over the mean time of its kind.
    """
    runs, kinds = lines.groupby(RUN, sort=False), lines.groupby([*RUN, *KIND], sort=False)
    sums = kinds[["spent_ms", "calls"]].transform("sum")
    weights = np.sqrt(lines["calls"]) * sums["calls"] / sums["spent_ms"]
    n, length = (lines[name] / runs[name].transform("first") for name in KIND)
    terms = np.column_stack([np.ones(len(lines)), n, n * length]) * weights.to_numpy()[:, None]
    values, sizes = (lines["ms"] * weights).to_numpy(float), runs["ms"].transform("size")
    order = np.argsort(runs.ngroup().to_numpy(), kind="stable")
    found = []
    for size in sizes.unique():  # runs with as many calls are solved together
        own = order[sizes.to_numpy()[order] == size]
        stacked = terms[own].reshape(-1, size, 3)
        parts = (np.linalg.pinv(stacked) @ values[own].reshape(-1, size, 1))[..., 0]
        known = (np.linalg.matrix_rank(stacked) == 3) & (parts.sum(axis=1) > 0)
        names = pd.MultiIndex.from_frame(lines[RUN].iloc[own[::size]])
        found.append(pd.Series(parts[:, 2] / parts.sum(axis=1), names)[known])
    return pd.concat(found)


def padded(data: Data) -> pd.DataFrame:
    """Return the comparable cells that generate; `pads` if their cache has the whole length."""
    cells = data.cells[data.cells["comparable"] & (data.cells["task"] == "generate")]
    caches = data.metadata[data.metadata["entry"] == "cache"]
    static = caches["value"].astype(str).str.startswith("static").groupby([caches[k] for k in CELL])
    cells = cells.join(static.any().rename("static"), on=CELL)
    by_family = cells["family"].isin(PADDING_FAMILIES)
    return cells.assign(pads=cells["static"].where(cells["static"].notna(), by_family).astype(bool))


@lru_cache(maxsize=1)
def table(data: Data) -> pd.DataFrame:
    """Return a line per padded cell with its share, and whether padding explains its distance.

    `left_low` and `left_high` bound the ratio to the fastest if both were free of padding.
    """
    cells, lines = padded(data), calls(data)
    lines = lines.merge(cells.loc[cells["pads"], CELL], on=CELL)
    if lines.empty:
        return pd.DataFrame(columns=COLUMNS)
    shares = with_ends(t_means(padding_shares(lines).groupby(level=CELL, sort=False)))
    own = lines.groupby(CELL, sort=False)[KIND].first()
    shares["unused"] = (own["new_tokens"] + 1) / 2 / own["max_length"]
    shares = shares.rename(columns={"mean": "share", "values": "runs"})
    cells = cells[[*CELL, *LIKE, "workload", "title", "ms", "pads"]].join(shares, on=CELL)
    # The most that padding may be: nothing of a growing cache, everything of an unknown one.
    cells["most"] = cells["high"].clip(0, 1).fillna(1.0).where(cells["pads"], 0.0)
    fastest = cells.loc[cells.groupby([*WORKLOAD, *LIKE], dropna=False)["ms"].idxmin()]
    names = {"configuration": "fastest", "title": "fastest_title", "most": "fastest_most"}
    fastest = fastest.rename(columns=names)[[*WORKLOAD, *LIKE, *names.values()]]
    found = cells.dropna(subset="share").merge(fastest, on=[*WORKLOAD, *LIKE])
    ratios = data.ratios.rename(
        columns={"base": "fastest", "low": "ratio_low", "high": "ratio_high"}
    )
    ends = ["ratio", "ratio_low", "ratio_high"]
    found = found.merge(ratios[[*CELL, "fastest", *ends]], on=[*CELL, "fastest"], how="left")
    found["left_low"] = found["ratio_low"] * (1 - found["high"].clip(0, 1))
    needed = found["unused"] * found["low"].clip(0, 1)
    with np.errstate(divide="ignore"):
        found["left_high"] = found["ratio_high"] * (1 - needed) / (1 - found["fastest_most"])
    slow = found["ratio_low"] >= SLOW
    verdicts = [found["ratio"].isna() | (found["ratio"] < SLOW)]
    verdicts += [slow & (found["left_low"] >= SLOW), slow & (found["left_high"] < SLOW)]
    found["verdict"] = np.select(verdicts, [FAST, NOT, EXPLAINS], OPEN)
    return found[COLUMNS]


def padded_share(high: float, title: str, runs: int) -> str:
    """Return 'padding is at most 13 % of a Keras 3 (PyTorch) call', of one run with a remark."""
    if high <= 0:
        text = f"no time of a {title} call is found to be padding"
    elif high < 1:
        text = f"padding is at most {percent(high)} of a {title} call"
    else:
        text = f"the noise leaves open how much of a {title} call is padding"
    return text + (" (share from one run)" if runs == 1 else "")


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'Gemma generate: padding is at most 13 % of a Keras 3 (PyTorch)
    call, which takes ...'
    """
    slow = table[table["verdict"] != FAST].sort_values("ratio", ascending=False)
    return [
        f"{line.workload}: {padded_share(line.high, line.title, line.runs)}, which takes "
        f"{times(line.ratio)} times as long as {line.fastest_title}; {BECAUSE[line.verdict]}."
        for line in slow.itertuples()
    ]


def figure(data: Data, panels: Iterable[Axes]) -> None:
    """Draw ms per call against the length, a panel per workload that generates."""
    found = of_fullest_runs(calls(data), KIND)
    own = found.groupby(CELL, sort=False)["new_tokens"].transform("first")
    found = found[found["new_tokens"] == own]
    means = found.groupby([*CELL, "max_length"], sort=False)["ms"].mean()
    draw_lines(data, means, panels, x="max_length", y="ms per call")
