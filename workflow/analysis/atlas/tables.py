"""The archives of an atlas as tidy tables.

==============  ==================================================================================
table           a line per
==============  ==================================================================================
``archives``    archive that is used: `archive` counts them from 1 in order of date, `label` is its
                short name on the page
``cells``       cell of an archive, `cell` counts them from 1: machine, date, revision, stack,
                scale, model, task, batch size, column, ms/step, interval, status
``pairs``       pair of columns, in a row (or as the geometric mean over rows) of one scale: on how
                many machines the first is faster, slower, the same or neither, and the range of
                the ratio
``claims``      published claim at one scale, of the same stacks: on how many machines it holds,
                does not, or is not decided
==============  ==================================================================================

A machine has one vote, however many archives it has: its decided archives have to agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from analysis.atlas.read import MEAN, RATIO
from analysis.comparisons.pairs import interval_of
from analysis.data import ROW
from analysis.statistics.intervals import Verdict, verdict

ABOUT = ["archive", "label", "name", "sha256", "machine", "date", "revision", "scale", "verified"]
WHERE = ["archive", "machine", "date", "revision", "scale"]
# What must be equal, besides the stacks of the two columns, for times to be of the same work.
WORK = ["scale", "work", "accelerator"]
PAIR = [*WORK, *ROW, "row_title", "a", "b", "stacks"]
CLAIM = ["claim", "text", "reading", "scale", "stacks"]
TIMES = ["step_ms", "ci95_low_ms", "ci95_high_ms"]
# What a machine says, and by which vote an archive says the same; None: by none.
WORDS = {"in_favour": True, "against": False, "same": None, "undecided": None}


@dataclass(frozen=True)
class Atlas:
    """The archives as `read.read` gave them; those with `wrong` are left out."""

    read: list[dict[str, Any]]

    @property
    def left_out(self) -> list[dict[str, Any]]:
        return [one for one in self.read if "wrong" in one]

    @cached_property
    def used(self) -> list[dict[str, Any]]:
        """The archives that are used, in the order of time. What was measured once is used once,
        however often it was archived, as with a DOI afterwards.
        """
        good = {one["digest"]: one for one in self.read if "wrong" not in one}
        found = sorted(good.values(), key=lambda one: (one["started_at"], one["digest"]))
        return [
            one | {"archive": n, "label": f"A{n}", "date": one["started_at"][:10]}
            for n, one in enumerate(found, start=1)
        ]

    @cached_property
    def archives(self) -> pd.DataFrame:
        return pd.DataFrame(self.used, columns=ABOUT)

    @cached_property
    def machines(self) -> dict[str, str]:
        """The short name of each machine on the page."""
        names = dict.fromkeys(self.archives["machine"])
        return {name: f"M{number}" for number, name in enumerate(names, start=1)}

    @cached_property
    def cells(self) -> pd.DataFrame:
        lines = [
            {key: one[key] for key in WHERE} | line | {"work": one["work"][line["model"]]}
            for one in self.used
            for line in one["cells"]
        ]
        found = pd.DataFrame(lines).astype(dict.fromkeys(TIMES, float))
        found.insert(0, "cell", range(1, len(found) + 1))
        return found

    @cached_property
    def ratios(self) -> pd.DataFrame:
        """Each pair of columns of each archive, with the two cells; `vote` is True where `a` is
        significantly faster, False where `b` is, None where neither is.
        """
        pairs = pd.DataFrame(
            [{"archive": one["archive"], **line} for one in self.used for line in one["pairs"]],
            columns=["archive", *ROW, "a", "b", *RATIO, "work"],
        ).astype({"archive": int, "batch_size": int} | dict.fromkeys(RATIO, float))
        key, cells = ["archive", "column"], self.cells
        of_columns = cells.drop_duplicates(key)[[*key, "stack", "accelerator"]]
        of_cells = cells[[*key, *ROW, "cell", "work", "row_title"]]
        for side in ("a", "b"):
            for found in (of_cells, of_columns):  # of a mean over rows, columns alone are known
                on = [name for name in found if name in key or name in ROW]
                names = {name: f"{name}_{side}" for name in found if name not in on}
                found = found.rename(columns={"column": side, **names})
                on[on.index("column")] = side
                pairs = pairs.merge(found, on=on, how="left")
        of_mean = pairs["model"] == MEAN
        pairs = pairs.merge(self.archives[["archive", "machine", "scale"]], on="archive")
        for name in ("stack", "accelerator"):
            pairs[name] = _both(pairs[f"{name}_a"], pairs[f"{name}_b"])
        rows = pairs["batch_size"].astype(str)
        label = pairs["row_title_a"].where(~of_mean, "geometric mean of " + rows + " rows")
        # the verdict on the second column against the first
        shown = [verdict(interval_of(pair)) for pair in pairs.itertuples()]
        shown = pd.Series(shown, pairs.index, object)
        return pairs.assign(
            stacks=pairs["stack"],
            row_title=label,
            work=pairs["work_a"].fillna(pairs["work"]),
            same=shown == Verdict.SAME,
            vote=shown.map({Verdict.SLOWER: True, Verdict.FASTER: False}).astype(object),
        )

    @cached_property
    def pairs(self) -> pd.DataFrame:
        return _tallied(self.ratios, PAIR, _range_of_ratios)

    @cached_property
    def judged(self) -> pd.DataFrame:
        """Each claim that an archive tests; `vote` is whether it holds there."""
        where = ["archive", "machine", "scale"]
        lines = [
            {key: one[key] for key in where} | {"stacks": _stacks(one)} | line
            for one in self.used
            for line in one["claims"]
        ]
        columns = [*where, "stacks", *CLAIM[:3], "holds", "ratio_low", "ratio_high"]
        found = pd.DataFrame(lines, columns=columns).astype({"holds": object})
        return found.assign(vote=found["holds"], same=False)

    @cached_property
    def claims(self) -> pd.DataFrame:
        return _tallied(self.judged, CLAIM, _range_of_claims)


def _stacks(one: dict[str, Any]) -> str:
    """The stacks of all columns of an archive."""
    return ", ".join(sorted({line["stack"] for line in one["cells"] if line["stack"]}))


def _both(a: pd.Series, b: pd.Series) -> pd.Series:
    return a.where(a == b, a.astype(str) + ", " + b.astype(str))


def _range_of_ratios(of: pd.DataFrame) -> dict[str, Any]:
    """The ends among the ratios that have an interval, where any has: single runs scatter more."""
    of = of[of["ci95_low"].notna()] if of["ci95_low"].notna().any() else of
    low, high = of.loc[of["ratio"].idxmin()], of.loc[of["ratio"].idxmax()]
    found = {"ratio_low": low["ratio"], "ratio_high": high["ratio"]}
    for name, line in (("low", low), ("high", high)):
        found |= {f"{name}_archive": line["archive"]}
        found |= {f"{name}_cells": [int(c) for c in line[["cell_b", "cell_a"]].dropna()]}
    return found


def _range_of_claims(of: pd.DataFrame) -> dict[str, Any]:
    ends = {"ratio_low": of["ratio_low"].min(), "ratio_high": of["ratio_high"].max()}
    return ends | {"archives": _archives(of)}


def _archives(of: pd.DataFrame) -> list[int]:
    return sorted(map(int, set(of["archive"])))


def _tallied(found: pd.DataFrame, key: list[str], extent: Any) -> pd.DataFrame:
    """The machines in favour, against, the same and undecided, each list with the archives that
    say so themselves: others of the machine may have decided nothing.
    """
    lines = []
    for values, of in found.groupby(key, sort=False, dropna=False):
        votes = {machine: _vote(own) for machine, own in of.groupby("machine", sort=False)}
        line: dict[str, Any] = dict(zip(key, values, strict=True)) | {"machines": len(votes)}
        for word, said in WORDS.items():
            names = [machine for machine, vote in votes.items() if vote == word]
            own = of[of["machine"].isin(names)]
            own = own if said is None else own[own["vote"] == said]
            line |= {word: names, f"{word}_archives": _archives(own)}
        lines.append(line | extent(of))
    columns = [*WORDS, *(f"{word}_archives" for word in WORDS)]
    return pd.DataFrame(lines, columns=None if lines else [*key, "machines", *columns])


def _vote(of: pd.DataFrame) -> str:
    """The vote of one machine; archives that contradict each other decide nothing."""
    decided = {*of["vote"].dropna()}
    if decided == {True}:
        return "in_favour"
    if decided == {False}:
        return "against"
    return "same" if not decided and of["same"].all() else "undecided"
