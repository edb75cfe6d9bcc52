"""The first page: five sentences computed from the table, the largest fact first.

1. The configuration that is slower than the fastest by most, and where.
2. The next largest: configurations that are slower in every workload of a task.
3. Who is fastest or tied, and in how many workloads.
4. In how many workloads nothing is inconclusive, and what this machine resolves.
5. What was measured, and how far the numbers carry.
"""

import numpy as np
import pandas as pd

from millistep.analysis import caveat_frames
from millistep.analysis.frames import GROUP, WORKLOAD, Data
from millistep.analysis.report.setting import rounds
from millistep.analysis.stats import EXCLUDED, FASTEST, INCONCLUSIVE, SLOWER, TIED, resolution
from millistep.analysis.words import count, listed, percent, some

ACCELERATORS = {"cpu": "CPU", "cuda": "GPU"}
MOST_LEADERS = 6
ONLY = "the only workload"
SMALLEST_SHARE = 0.0005  # that is not printed as 0 %


def sentences(data: Data) -> list[str]:
    """Return the sentences of the first page; those without a fact are left out."""
    cells = data.cells
    if cells["ms"].isna().all():
        return ["Nothing is measured yet.", setting(data)]
    first, named = slowest(cells)
    found = [first, by_task(cells, named), leaders(cells), decided(data), setting(data)]
    return [sentence for sentence in found if sentence]


def compared(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of groups in which at least two cells are compared."""
    ranked = cells[cells["standing"] != EXCLUDED]
    sizes = ranked.groupby(GROUP, sort=False)["ms"].transform("size")
    return ranked[sizes > 1]


def slowest(cells: pd.DataFrame) -> tuple[str, str | None]:
    """Return sentence 1 and the configuration that it names."""
    ranked = compared(cells)
    if ranked.empty:
        runs = int(cells["planned_runs"].max())
        why = "one run per cell has no interval" if runs < 2 else "too few cells can be compared"
        return f"No framework is called faster than another: {why}.", None
    slower = ranked[ranked["standing"] == SLOWER]
    if slower.empty:
        number = _workloads(ranked)
        where = f"any of {number} workloads" if number > 1 else ONLY
        return f"No framework is shown to be slower than the fastest in {where}.", None
    size = np.log(slower["ratio"]).groupby(slower["configuration"], sort=False).sum()
    named = size.idxmax()
    of = slower[slower["configuration"] == named]
    total, planned = int((ranked["configuration"] == named).sum()), _workloads(cells)
    where = f"{len(of)} of {count(total, 'workload')}"
    if planned == 1:
        where = ONLY
    elif len(of) == total > 1:
        every = total == planned
        where = "every workload" if every else f"all {total} workloads in which it is compared"
    spans: dict[str, list[str]] = {}
    for task, group in of.groupby("task", sort=False):
        spans.setdefault(_span(group["ratio"]), []).append(task)
    texts = [f"{span} times in {listed(tasks)}" for span, tasks in spans.items()]
    if where == ONLY:
        texts = [f"{span} times" for span in spans]
    texts[0] = texts[0].replace("times", "times as long", 1)
    title = of["title"].iloc[0]
    return (
        f"{title} is significantly slower than the fastest framework in {where}: it takes "
        f"{listed(texts)}.",
        named,
    )


def by_task(cells: pd.DataFrame, named: str | None) -> str:
    """Return sentence 2: configurations that are slower in every workload of one task."""
    ranked = compared(cells)
    ranked = ranked[ranked["configuration"] != named]
    if ranked.empty:
        return ""
    groups = ranked.groupby(["task", "configuration"], sort=False)
    found = pd.DataFrame(
        {
            "slower": groups["standing"].agg(lambda of: of.eq(SLOWER).sum()),
            "size": groups["ratio"].agg(lambda of: np.log(of).sum()),
        }
    )
    of_task = cells[WORKLOAD].drop_duplicates()["task"].value_counts()
    found = found[found["slower"] >= found.index.get_level_values("task").map(of_task)]
    if found.empty:
        return ""
    task = found["size"].groupby(level="task", sort=False).sum().idxmax()
    names = found.loc[task].index
    of = ranked[(ranked["task"] == task) & ranked["configuration"].isin(names)]
    titles = listed(of["title"].unique())
    verb = "takes" if len(names) == 1 else "take"
    return f"In {task}, {titles} {verb} {_span(of['ratio'])} times as long as the fastest."


def leaders(cells: pd.DataFrame) -> str:
    """Return sentence 3: who is fastest, and who is fastest or tied."""
    ranked = compared(cells)
    if ranked.empty:
        return ""
    total = ranked[GROUP].drop_duplicates().shape[0]
    ahead = ranked[ranked["standing"].isin([FASTEST, TIED])]
    number = ahead.groupby("title", sort=False).size().sort_values(ascending=False, kind="stable")
    if total == len(number) == 1:
        return f"Fastest or tied: {number.index[0]}."
    shares = [f"{title} in {n}" for title, n in number.items()]
    if len(shares) > MOST_LEADERS:
        shares[MOST_LEADERS:] = [f"others in {number.iloc[MOST_LEADERS:].sum()}"]
    return f"Fastest or tied, of {count(total, 'workload')}: {listed(shares)}."


def decided(data: Data) -> str:
    """Return sentence 4: decided and inconclusive workloads, and the resolution."""
    ranked = compared(data.cells)
    if ranked.empty:
        return ""
    groups = ranked.assign(open=ranked["standing"] == INCONCLUSIVE).groupby(GROUP, sort=False)
    undecided = groups["open"].any()
    labels = groups["workload"].first()[undecided]
    total, still_open = len(undecided), int(undecided.sum())
    half = resolution(data.cells)
    resolved = f"{rounds(data)} on this machine resolve about {percent(half)}"
    if not still_open:
        where = ONLY if total == 1 else f"all {total} workloads"
        return f"In {where}, every other framework is slower or tied; {resolved}."
    resolved = f"{resolved[0].upper()}{resolved[1:]}."
    if still_open == total:
        where = "only workload is" if total == 1 else f"{total} workloads are all"
        return f"The {where} inconclusive. {resolved}"
    return (
        f"In {total - still_open} of {total} workloads, every other framework is slower or tied; "
        f"inconclusive: {some(labels.unique())}. {resolved}"
    )


def setting(data: Data) -> str:
    """Return sentence 5: scale and machine, and what they rule out."""
    plan, runs = data.plan, data.runs
    on = listed(
        [ACCELERATORS.get(kind, kind) for kind in dict.fromkeys(runs["accelerator"])] or ["CPU"]
    )
    names = runs.reindex(columns=["machine.accelerator_name", "machine.cpu"])
    used = names["machine.accelerator_name"].where(
        runs["accelerator"] != "cpu", names["machine.cpu"]
    )
    machine = f" ({some(used.dropna().unique(), 2)})" if used.notna().any() else ""
    if not caveat_frames.plan(data)["reduced"].item():
        return f"Models of the published sizes on {on}{machine}; other hardware may rank otherwise."
    return (
        f"Reduced models ({plan['scale']} scale) on {on}{machine}: not the published benchmark's "
        "numbers, and larger models or other hardware may rank otherwise."
    )


def possible(data: Data) -> str:
    """Return how near the fastest cells come to the best matrix product of the machine."""
    cells = data.cells[data.cells["comparable"]].dropna(subset="share_of_best")
    if cells.empty:
        return ""
    best = cells.loc[cells.groupby(GROUP, sort=False)["ms"].idxmin()]
    top, low = best.loc[best["share_of_best"].idxmax()], best["share_of_best"].min()
    return (
        f"In {top['workload']}, the lowest mean reaches {percent(top['share_of_best'])} of the "
        f"FLOP/s of this machine's best matrix product"
        + (
            f"; the lowest means of other workloads reach {percent(low)} or more."
            if len(best) > 1 and low >= SMALLEST_SHARE
            else "."
        )
    )


def _workloads(cells: pd.DataFrame) -> int:
    return len(cells[WORKLOAD].drop_duplicates())


def _span(ratios: pd.Series) -> str:
    """Return '1.3 to 13': one decimal below 10, two below 1.1."""
    low, high = (
        f"{value:.{2 if value < 1.095 else 1 if value < 9.95 else 0}f}"
        for value in (ratios.min(), ratios.max())
    )
    return low if low == high else f"{low} to {high}"
