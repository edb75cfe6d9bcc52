"""The part of a call of ``generate()`` that static padding may cost."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.caveats.core import Found, labelled, rule
from analysis.caveats.thresholds import SLOW_GENERATION
from analysis.data import CELL, Data, cell_key
from analysis.formats.spelling import within
from analysis.formats.text import count, listed, times
from analysis.results.cells import Cell, cell_ratio
from analysis.results.rows import RowCells
from analysis.statistics.intervals import ends
from analysis.topics.padding.compute import (
    KIND,
    Share,
    calls,
    compared_calls,
    explains,
    explanation,
    in_some_runs,
    kind_means,
    most_padding,
    pads,
    share_text,
    shares,
    without_padding,
)

Shares = dict[Cell, Share]


@rule
def static_padding(data: Data) -> Iterator[Found]:
    """Give the share of padding in a call's time in each row that generates, and say whether it
    makes a column slow.
    """
    found, models = shares(data), data.results.plan.models
    told: list[Found] = []
    compared, every = compared_calls(data), calls(data)
    means = dict(iter(kind_means(compared).groupby(CELL)))
    runs_of = compared.groupby(CELL)["run"].unique()
    for row in data.results.rows:
        own = {cell: found[key] for cell in row.comparable if (key := cell_key(cell)) in found}
        if not own:
            continue
        of_cells = {cell: means[cell_key(cell)] for cell in own}
        timed = every[every.set_index(CELL).index.isin([*map(cell_key, own)])]
        words = {
            "row": row.row.label,
            "machines": sorted({r.machine.described for cell in own for r in cell.records}),
            "shares": [f"{share_text(share)} in {c.column.title}" for c, share in own.items()],
            "lengths": sorted(
                {f"{n}" for of in of_cells.values() for n in of["max_length"]}, key=int
            ),
            "once": in_some_runs(timed, "max_length"),
            "length": models[row.row.model].architecture["max_length"],
            "over_runs": all(share.over_runs for share in own.values()),
            "left": [c.column.title for c in row.comparable if pads(c) and c not in own],
            "withheld": [c.column.title for c in row.measured if pads(c) and not c.comparable],
        }
        evidence = {
            cell: _evidence(share, of_cells[cell], runs_of[cell_key(cell)])
            for cell, share in own.items()
        }
        told.append(Found(own, labelled(evidence), words | _slowest(row, own)))
    answer = _answer([each.words for each in told])
    yield from (replace(each, answer=answer) for each in told)


def _answer(rows: list[dict[str, Any]]) -> str:
    """Where padding is shown not to be why a column is slow; empty where it is nowhere."""
    freed = [row for row in rows if row.get("at_least")]
    if not freed:
        return ""
    slow = listed(sorted({row["slow"] for row in freed}))
    least = times(min(row["at_least"] for row in freed))
    return (
        f"Padding is not why {slow} is slow in {len(freed)} of {count(len(rows), 'row')}: without "
        f"it the time would still be at least {least} that of the fastest."
    )


def _slowest(row: RowCells, own: Shares) -> dict[str, Any]:
    """Say whether padding explains the slowest column, if it is far behind."""
    fast = min(row.comparable, key=lambda cell: cell.step_ms)
    slow = max(own, key=lambda cell: cell.step_ms)
    ratio = cell_ratio(slow, fast)
    if ratio is None or ratio.value < SLOW_GENERATION:
        return {"slow": ""}
    bounds = (own[slow], most_padding(fast, own.get(fast)))
    freed = explains(ratio.interval, *bounds, SLOW_GENERATION) is False
    left = without_padding(ratio.interval, *bounds) if freed else None
    return {
        "slow": slow.column.title,
        "fast": fast.column.title,
        "ratio": within(ratio.value, *ends(ratio.interval)),
        "explained": explanation(ratio, *bounds, SLOW_GENERATION),
        "at_least": left and left.low,
    }


def _evidence(share: Share, found: pd.DataFrame, runs: Iterable[int]) -> dict[str, Any]:
    return {
        "calls": found[[*KIND, "ms", "calls"]].to_dict("records"),
        "calls_of_runs": [*map(int, runs)],
        "padding_share": share.value,
        "interval": share.interval and [share.interval.low, share.interval.high],
        "share_by_run": {str(number): value for number, value in share.by_run.items()},
    }
