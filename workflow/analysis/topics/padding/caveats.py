"""The part of a call of ``generate()`` that static padding may cost."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.caveats.core import Found, labelled, rule
from analysis.caveats.thresholds import SLOW_GENERATION
from analysis.data import CELL, Data, cell_key
from analysis.formats.spelling import within
from analysis.formats.text import listed
from analysis.results.cells import Cell, cell_ratio
from analysis.results.rows import RowCells
from analysis.statistics.intervals import ends
from analysis.topics.padding.compute import (
    KIND,
    Share,
    compared_calls,
    explanation,
    kind_means,
    most_padding,
    pads,
    share_text,
    shares,
)

Shares = dict[Cell, Share]


@rule
def static_padding(data: Data) -> Iterator[Found]:
    """Give the share of padding in a call's time in each row that generates, and say whether it
    makes a column slow.
    """
    found, models = shares(data), data.results.plan.models
    means = dict(iter(kind_means(compared_calls(data)).groupby(CELL)))
    for row in data.results.rows:
        own = {cell: found[key] for cell in row.comparable if (key := cell_key(cell)) in found}
        if not own:
            continue
        calls = {cell: means[cell_key(cell)] for cell in own}
        words = {
            "row": row.row.label,
            "machines": sorted({r.machine.described for cell in own for r in cell.records}),
            "shares": [f"{share_text(share)} in {c.column.title}" for c, share in own.items()],
            "lengths": sorted({f"{n}" for of in calls.values() for n in of["max_length"]}, key=int),
            "length": models[row.row.model].architecture["max_length"],
            "over_runs": all(share.over_runs for share in own.values()),
            "left": [c.column.title for c in row.comparable if pads(c) and c not in own],
            "withheld": [c.column.title for c in row.measured if pads(c) and not c.comparable],
        }
        evidence = {cell: _evidence(cell, share, calls[cell]) for cell, share in own.items()}
        yield Found(own, labelled(evidence), words | _slowest(row, own))


def _slowest(row: RowCells, own: Shares) -> dict[str, str]:
    """Say whether padding explains the slowest column, if it is far behind."""
    fast = min(row.comparable, key=lambda cell: cell.step_ms)
    slow = max(own, key=lambda cell: cell.step_ms)
    ratio = cell_ratio(slow, fast)
    if ratio is None or ratio.value < SLOW_GENERATION:
        return {"slow": ""}
    return {
        "slow": slow.column.title,
        "fast": fast.column.title,
        "ratio": within(ratio.value, *ends(ratio.interval)),
        "explained": explanation(
            ratio, own[slow], most_padding(fast, own.get(fast)), SLOW_GENERATION
        ),
        "slow_execution": _execution(slow),
        "fast_execution": _execution(fast),
    }


def _evidence(cell: Cell, share: Share, calls: pd.DataFrame) -> dict[str, Any]:
    return {
        "calls": calls[[*KIND, "ms", "calls"]].to_dict("records"),
        "padding_share": share.value,
        "interval": share.interval and [share.interval.low, share.interval.high],
        "share_by_run": {str(number): value for number, value in share.by_run.items()},
        "execution": _execution(cell),
    }


def _execution(cell: Cell) -> str:
    return listed(sorted(cell.reported("execution")), "in an unknown mode")
