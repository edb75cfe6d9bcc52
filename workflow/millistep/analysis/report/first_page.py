"""The first page: five sentences computed from the table, the largest fact first.

Workloads in which the numbers of parameters differ are not counted: their work differs.

1. The configuration that is slower than the fastest by most, and where.
2. The next largest: configurations that are slower in every workload of a task.
3. Who is fastest or tied, and in how many workloads.
4. In how many workloads nothing is inconclusive, and what this machine resolves.
5. What was measured, and how far the numbers carry.
"""

import math

import numpy as np
import pandas as pd

from millistep.analysis import caveat_frames
from millistep.analysis.frames import GROUP, WORKLOAD, Data
from millistep.analysis.report.setting import outcomes, rounds
from millistep.analysis.stats import (
    EXCLUDED,
    FASTEST,
    SLOWER,
    TIED,
    resolution,
    same_work,
)
from millistep.analysis.words import count, listed, percent, some

ACCELERATORS = {"cpu": "CPU", "cuda": "GPU"}
MOST_LEADERS = 6
ONLY = "the only workload"


def sentences(data: Data) -> list[str]:
    """Return the sentences of the first page; those without a fact are left out."""
    cells = data.cells
    if cells["ms"].isna().all():
        ended = data.runs["status"].ne("not measured").any()
        nothing = (
            f"No run has a time: {outcomes(data.runs)}." if ended else "Nothing is measured yet."
        )
        return [nothing, setting(data)]
    first, named = slowest(cells)
    found = [first, by_task(cells, named), leaders(cells), decided(data), setting(data)]
    return [sentence for sentence in found if sentence]


def compared(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of groups in which at least two cells with the same work are compared."""
    ranked = cells[cells["standing"] != EXCLUDED]
    sizes = ranked.groupby(GROUP, sort=False)["ms"].transform("size")
    return ranked[(sizes > 1) & same_work(ranked, GROUP)]


def uncounted(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the workloads with different work of their cells, which no sentence counts."""
    ranked = cells[cells["standing"] != EXCLUDED]
    other = ranked.loc[~same_work(ranked, GROUP), [*WORKLOAD, "workload"]]
    return other.drop_duplicates()


def left_out(cells: pd.DataFrame) -> str:
    """Return '. Left out: Gemma fit (different numbers of parameters)'; '' if all are counted."""
    other = uncounted(cells)["workload"]
    return f". Left out: {some(other)} (different numbers of parameters)" if len(other) else ""


def slowest(cells: pd.DataFrame) -> tuple[str, str | None]:
    """Return sentence 1 and the configuration that it names."""
    ranked = compared(cells)
    if ranked.empty:
        runs = int(cells["planned_runs"].max())
        why = "one run per cell has no interval" if runs < 2 else "too few cells can be compared"
        if len(other := uncounted(cells)):
            why = f"the numbers of parameters differ in {some(other['workload'])}"
        return f"No framework is called faster than another: {why}.", None
    slower = ranked[ranked["standing"] == SLOWER]
    if slower.empty:
        number = workload_count(ranked)
        where = f"any of {number} workloads" if number > 1 else only(cells)
        return f"No framework is shown to be slower than the fastest in {where}.", None
    size = np.log(slower["ratio"]).groupby(slower["configuration"], sort=False).sum()
    named = size.idxmax()
    of = slower[slower["configuration"] == named]
    total = int((ranked["configuration"] == named).sum())
    where = f"{len(of)} of {count(total, 'workload')}"
    if len(of) == total:
        where = every(total, workload_count(cells))
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


def every(number: int, planned: int, who: str = "it is") -> str:
    """Return 'every workload', or the number of those in which a configuration is compared."""
    if number == planned:
        return ONLY if number == 1 else "every workload"
    where = "the one workload" if number == 1 else f"all {number} workloads"
    return f"{where} in which {who} compared"


def by_task(cells: pd.DataFrame, named: str | None) -> str:
    """Return sentence 2: configurations that are slower in every counted workload of one task."""
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
    other = uncounted(cells)
    of_task = cells[WORKLOAD].drop_duplicates()["task"].value_counts()
    of_task = of_task.sub(other["task"].value_counts(), fill_value=0)
    found = found[found["slower"] >= found.index.get_level_values("task").map(of_task)]
    if found.empty:
        return ""
    task = found["size"].groupby(level="task", sort=False).sum().idxmax()
    names = found.loc[task].index
    of = ranked[(ranked["task"] == task) & ranked["configuration"].isin(names)]
    titles = listed(of["title"].unique())
    verb = "takes" if len(names) == 1 else "take"
    other = other.loc[other["task"] == task, "workload"]
    without = f" (without {some(other)})" if len(other) else ""
    return f"In {task}{without}, {titles} {verb} {_span(of['ratio'])} times as long as the fastest."


def leaders(cells: pd.DataFrame) -> str:
    """Return sentence 3: who is fastest, and who is fastest or tied."""
    ranked = compared(cells)
    if ranked.empty:
        return ""
    total = ranked[GROUP].drop_duplicates().shape[0]
    ahead = ranked[ranked["standing"].isin([FASTEST, TIED])]
    number = ahead.groupby("title", sort=False).size().sort_values(ascending=False, kind="stable")
    if total == 1:
        where = "" if only(cells) == ONLY else f", in {ranked['workload'].iloc[0]}"
        return f"Fastest or tied{where}: {some(number.index, MOST_LEADERS)}{left_out(cells)}."
    shares = [f"{title} in {n}" for title, n in number.items()]
    if len(shares) > MOST_LEADERS:
        shares[MOST_LEADERS:] = [f"others in {number.iloc[MOST_LEADERS:].sum()}"]
    where = f"{total} {_of_groups(ranked)}"
    return f"Fastest or tied, of {where}: {listed(shares)}{left_out(cells)}."


def decided(data: Data) -> str:
    """Return sentence 4: decided and inconclusive workloads, and the resolution."""
    if compared(data.cells).empty:
        return ""
    timed = data.cells[data.cells["ms"].notna()]
    sizes = timed.groupby(GROUP, sort=False)["ms"].transform("size")
    ranked = timed[(sizes > 1) & same_work(timed, GROUP)]
    groups = ranked.groupby(GROUP, sort=False)
    undecided = groups["undecided"].any()
    labels = groups["workload"].first()[undecided]
    total, still_open, noun = len(undecided), int(undecided.sum()), _of_groups(ranked)
    half = resolution(data.cells)
    resolved = f"{rounds(data)} on this machine resolve about {percent(half)}"
    if not still_open:
        where = only(data.cells) if total == 1 else f"all {total} {noun}"
        return f"In {where}, every other framework is slower or tied; {resolved}."
    resolved = f"{resolved[0].upper()}{resolved[1:]}."
    if still_open == total:
        where = f"the {total} {noun} are all" if total > 1 else f"{only(data.cells)} is"
        return f"T{where[1:]} inconclusive. {resolved}"
    return (
        f"In {total - still_open} of {total} {noun}, every other framework is slower or tied; "
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
        return f"Full-size models on {on}{machine}; other hardware may rank otherwise."
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
    low, top = (
        f"{percent(line['share_of_best'])} ({line['workload']})"
        for line in (best.loc[best["share_of_best"].agg(end)] for end in ("idxmin", "idxmax"))
    )
    reached = f"mean of a workload reaches {top}"
    if len(best) > 1:
        reached = f"means of the workloads reach {low} to {top}"
    return f"The lowest {reached} of the FLOP/s of this machine's best matrix product."


def only(cells: pd.DataFrame) -> str:
    """Return how the one compared workload is called, which may be one of several planned."""
    return ONLY if workload_count(cells) == 1 else "the one compared workload"


def workload_count(cells: pd.DataFrame) -> int:
    """Return the number of workloads of these cells."""
    return len(cells[WORKLOAD].drop_duplicates())


def _of_groups(ranked: pd.DataFrame) -> str:
    """Return the plural noun for the groups of cells: 'workloads' if each of them is one."""
    groups = len(ranked[GROUP].drop_duplicates())
    return "workloads" + " per stack and device" * (groups > workload_count(ranked))


def _span(ratios: pd.Series) -> str:
    """Return '1.3 to 13'. A ratio below 1.1 has as many digits as show that it is not 1."""
    low, high = (_times(value) for value in (ratios.min(), ratios.max()))
    return low if low == high else f"{low} to {high}"


def _times(ratio: float) -> str:
    if not 1 < ratio < 1.095:
        return f"{ratio:.{1 if ratio < 9.95 else 0}f}"
    return f"{ratio:.{max(2, -math.floor(math.log10(ratio - 1)))}f}"
