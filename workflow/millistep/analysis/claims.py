"""Published claims, each tested on the cells of this run. reference/claims.yaml describes them."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml

from millistep.analysis.frames import CELL, GROUP, WORKLOAD, Data
from millistep.analysis.published import PAPER, REFERENCE, published
from millistep.analysis.stats import (
    EXCLUDED,
    FASTEST,
    MIN_RUNS,
    SLOWER,
    over_all_pairs,
    t_means,
    with_ends,
    with_the_fastest,
)
from millistep.analysis.topics import padding, why
from millistep.analysis.topics.pairs import verdicts
from millistep.analysis.words import count, percent, some

YES, NO, OPEN, UNTESTED = "yes", "no", "open", "not tested"
COLUMNS = ["claim", "text", "source", "verdict", "workloads", "workload", "gain", "low", "high"]
COLUMNS += ["published_gain", "note"]
ANY = "model == model"  # a condition that every cell meets


class Result(NamedTuple):
    """What a test shows: the verdict, and the workload that decides it with gain and interval."""

    verdict: str = UNTESTED
    workloads: int = 0
    workload: str | None = None
    gain: float = np.nan
    low: float = np.nan
    high: float = np.nan
    note: str = ""


def table(data: Data) -> pd.DataFrame:
    """Return a line per claim; none below paper scale, where no claim can be reproduced."""
    if data.plan["scale"] != PAPER:
        return pd.DataFrame(columns=COLUMNS)
    claims = yaml.safe_load((REFERENCE / "claims.yaml").read_text("utf-8"))["claims"]
    cells = described(data)
    lines = []
    for name, claim in claims.items():
        result = TESTS[claim.get("test", "gain")](claim, cells, data)
        line = {"claim": name, "text": claim["text"], "source": claim["source"]}
        lines.append({**line, **result._asdict(), "published_gain": _published_gain(claim)})
    return pd.DataFrame(lines, columns=COLUMNS)


def described(data: Data) -> pd.DataFrame:
    """Return the cells that may be the fastest, with the settings of their configuration."""
    cells = rivals(data.cells)
    settings = data.configurations[["configuration", *set(data.configurations) - set(cells)]]
    library = cells["framework"].str.partition("-")[0]  # custom operations are compared within it
    return cells.assign(library=library).merge(settings, on="configuration")


def rivals(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that may be the fastest: comparable, or excluded after several runs."""
    return cells[cells["comparable"] | (cells["runs"] >= MIN_RUNS)]


def select(cells: pd.DataFrame, condition: str) -> pd.DataFrame:
    """Return the cells that meet a condition; none if no configuration has such a setting."""
    try:
        return cells.query(condition, engine="python")
    except pd.errors.UndefinedVariableError:
        return cells.iloc[:0]


def matched(claim: dict[str, Any], cells: pd.DataFrame) -> pd.DataFrame:
    """Return a line per workload with its fastest `new` cell and its fastest `base` cell.

    A workload is left out if one of these is not comparable: another cell may be the fastest.
    """
    cells = select(cells, claim.get("where", ANY)).dropna(subset="ms")
    by = [*WORKLOAD, *claim.get("same", [])]
    new, base = (
        found.loc[found.groupby(by, sort=False)["ms"].idxmin()]
        for found in (select(cells, claim[side]) for side in ("new", "base"))
    )
    new, base = (side[side["comparable"]] for side in (new, base))
    base = base.rename(columns={"configuration": "base", "ms": "base_ms"})
    found = new.merge(base[[*by, "base", "base_ms"]], on=by)
    return found[found["configuration"] != found["base"]]


def gains(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> pd.DataFrame:
    """Return the matched cells with gain, low, high and verdict, the largest gain first.

    The data choose the cells, so verdicts are corrected for all pairs of a workload.
    """
    able = cells[cells["comparable"] & (cells["runs"] >= MIN_RUNS)]
    ratios = data.ratios.assign(p=over_all_pairs(able, data.ratios, WORKLOAD, WORKLOAD))
    found = matched(claim, cells).merge(ratios, on=[*CELL, "base"], suffixes=("_cell", ""))
    found["speedup"] = 1 / found["ratio"]
    found["low"], found["high"] = 1 / found["high"], 1 / found["low"]
    found["verdict"] = verdicts(found)
    found[["gain", "low", "high"]] = found[["speedup", "low", "high"]] - 1
    return found.sort_values("gain", ascending=False, kind="stable")


def gain(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> Result:
    """Test whether the gain exceeds `gain` in every workload, or in `in`, and `at_most` in none."""
    found = gains(claim, cells, data)
    if found.empty:
        return Result()
    judged = []
    if "gain" in claim:
        needed = claim.get("in", len(found))
        judged.append((exceeds(found, claim["gain"], needed), min(needed, len(found)) - 1))
    if "at_most" in claim:
        judged.append(({YES: NO, NO: YES, OPEN: OPEN}[exceeds(found, claim["at_most"], 1)], 0))
    verdict, place = min(judged, key=lambda each: [NO, OPEN, YES].index(each[0]))
    verdict = OPEN if verdict == YES and not measured_all(claim, found) else verdict
    line = found.iloc[place]
    return Result(verdict, len(found), *line[["workload", "gain", "low", "high"]])


def measured_all(claim: dict[str, Any], found: pd.DataFrame) -> bool:
    """Return whether these are all workloads of the published table that a claim is about.

    Revisions of the table differ in batch sizes, so only their number counts.
    """
    if "revision" not in claim:
        return True
    cells = published().query("revision == @claim['revision']").dropna(subset="ms")
    cells = select(cells, claim.get("where", ANY))
    sides = [select(cells, claim[side]) for side in ("new", "base", "of") if side in claim]
    theirs = set.intersection(*map(_workloads, sides))
    return Counter(of[:2] for of in theirs) <= Counter(of[:2] for of in _workloads(found))


def _workloads(cells: pd.DataFrame) -> set[tuple[Any, ...]]:
    return {*cells[WORKLOAD].itertuples(index=False, name=None)}


def exceeds(found: pd.DataFrame, limit: float, needed: int) -> str:
    """Judge by the ends of the intervals whether so many gains exceed a limit."""
    if (found["low"] > limit).sum() >= needed:
        return YES
    possible = (found["high"] > limit) | found["high"].isna()
    return OPEN if possible.sum() >= needed or len(found) < needed else NO


def among(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> pd.DataFrame:
    """Return the standings of the selected cells among themselves, where a workload has several."""
    keys = select(cells, claim["of"])[CELL]
    judged = with_the_fastest(data.timed.merge(keys, on=CELL), data.ratios, GROUP, WORKLOAD)
    return judged[judged["standing"] != EXCLUDED]


def no_best(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> Result:
    """Test whether each selected configuration is shown slower in at least one workload."""
    judged = among(claim, cells, data)
    if judged.empty:
        return Result()
    slower = judged["standing"].eq(SLOWER).groupby(judged["title"], sort=False).sum()
    led = judged["standing"].eq(FASTEST).groupby(judged["title"], sort=False).sum()
    workloads = judged.groupby(WORKLOAD).ngroups
    alone = judged.groupby(WORKLOAD)["standing"].transform(
        lambda of: (of == SLOWER).sum() == len(of) - 1
    )
    won = (alone & judged["standing"].eq(FASTEST)).groupby(judged["title"], sort=False).sum()
    beaten = (won == workloads).any() and measured_all(claim, judged)
    verdict = YES if (slower > 0).all() else NO if beaten else OPEN
    note = ", ".join(f"{title} fastest in {number}" for title, number in led.items())
    return Result(verdict, workloads, note=note)


def fastest_in(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> Result:
    """Test whether `new` is the fastest of the selected cells in exactly `in` workloads."""
    judged = among(claim, cells, data)
    ours = select(judged, claim["new"])
    if ours.empty:
        return Result()
    others = judged[judged["configuration"].ne(ours["configuration"].iloc[0])]
    behind = others["standing"].eq(SLOWER).groupby([others[name] for name in WORKLOAD]).all()
    sure = int(behind.sum())
    possible = int(ours["standing"].ne(SLOWER).sum())
    needed = claim["in"]
    verdict = YES if sure == possible == needed else OPEN if sure <= needed <= possible else NO
    if sure <= needed and not measured_all(claim, ours):
        verdict = OPEN
    led = int(ours["standing"].eq(FASTEST).sum())
    return Result(verdict, len(ours), note=f"fastest by the mean in {led}, alone in {sure}")


def padding_explains(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> Result:
    """Test whether padding explains why the selected configuration is slow in every workload."""
    found = padding.table(data).merge(select(cells, claim["of"])[CELL], on=CELL)
    found = found.dropna(subset="ratio").sort_values("ratio", ascending=False)
    if found.empty:
        return Result()
    verdicts = set(found["verdict"].replace(padding.FAST, padding.NOT))  # not even slow
    verdict = NO if padding.NOT in verdicts else YES if verdicts == {padding.EXPLAINS} else OPEN
    line = found.iloc[0]
    more, low, high = (line[name] - 1 for name in ("ratio", "ratio_low", "ratio_high"))
    note = "share of padding from one run per cell" if found["runs"].max() == 1 else ""
    return Result(verdict, len(found), line["workload"], more, low, high, note)


def host(claim: dict[str, Any], cells: pd.DataFrame, data: Data) -> Result:
    """Test whether fewer than `share` of the profiled cells are idle for at least `idle` of a step.

    The idle share is all that a faster host could save. A cell counts by its interval, if any.
    """
    parts = why.parts(data)
    if parts.empty:
        return Result()
    of_runs = parts.xs("spread")
    shares = with_ends(t_means((of_runs[why.IDLE] / of_runs[why.STEP]).groupby(level=CELL)))
    needed = int(np.ceil(claim["share"] * len(shares)))
    many = exceeds(shares, claim["idle"], needed)
    idle = int((shares["mean"] >= claim["idle"]).sum())
    verb = "is" if idle == 1 else "are"
    note = (
        f"{idle} of {count(len(shares), 'cell')} {verb} idle for {percent(claim['idle'])} or more"
    )
    note += ", in one profile each" if shares["values"].max() == 1 else ""
    return Result({YES: NO, NO: YES, OPEN: OPEN}[many], note=note)


TESTS = {
    **{"gain": gain, "no_best": no_best, "fastest_in": fastest_in},
    **{"padding": padding_explains, "host": host},
}


def _published_gain(claim: dict[str, Any]) -> float:
    """Return the deciding gain of the published table, for a claim about one of its revisions."""
    if "revision" not in claim or "gain" not in claim:
        return np.nan
    cells = published().query("revision == @claim['revision']")
    pairs = matched(claim, cells.assign(comparable=True))
    found = (pairs["base_ms"] / pairs["ms"] - 1).sort_values(ascending=False)
    gain: float = found.iloc[claim.get("in", len(found)) - 1]
    return gain


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'Of 16 published claims, 5 hold in this run, 2 do not, 3 are open
    and 6 were not tested.'
    """
    if table.empty:
        return []
    number = table["verdict"].value_counts().reindex([YES, NO, OPEN, UNTESTED], fill_value=0)
    verbs = {YES: ("holds", "hold"), NO: ("does", "do"), OPEN: ("is", "are")}
    verbs |= {UNTESTED: ("was", "were")}
    holds, does, is_open, was = (count(number[word], *verbs[word]) for word in verbs)
    found = [
        f"Of {count(len(table), 'published claim')}, {holds} in this run, {does} not, "
        f"{is_open} open and {was} not tested."
    ]
    refuted = table.loc[table["verdict"] == NO, "text"]
    return found + ([f"Not borne out: {some(refuted)}."] if len(refuted) else [])
