"""The part of a call of ``generate()`` that static padding may cost."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.caveats.core import Found, labelled, rule
from analysis.caveats.provenance import describe
from analysis.caveats.thresholds import SLOW_GENERATION
from analysis.data import CELL, CellKey, Data, cell_key
from analysis.formats.text import listed, times_within
from analysis.results.cells import Cell, cell_ratio
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.topics.padding.compute import KIND, Share, compared_calls, kind_means, pads, shares
from analysis.topics.padding.texts import explanation, share_text

Shares = dict[Cell, Share]
Means = dict[CellKey, pd.DataFrame]


@rule
def static_padding(data: Data) -> Iterator[Found]:
    """Give the share of padding in a call's time in each row that generates, and say whether it
    makes a column slow.
    """
    found = shares(data)
    means = dict(iter(kind_means(compared_calls(data)).groupby(CELL))) if found else {}
    for row in data.results.rows:
        own = {cell: found[key] for cell in row.comparable if (key := cell_key(cell)) in found}
        if own:
            evidence = {c: _evidence(c, share, means[cell_key(c)]) for c, share in own.items()}
            sentence = f"{_bound(data.results, row, own, means)}{_slowest(row, own)}"
            words = {"sentence": sentence + _without_share(row, own)}
            yield Found(own, labelled(evidence), words)


def _bound(results: Results, row: RowCells, own: Shares, means: Means) -> str:
    """Say what was measured, where, and the share of each column with its interval."""
    plan, length = results.plan, results.plan.models[row.row.model].architecture["max_length"]
    machines = listed(sorted({describe(r.machine) for cell in own for r in cell.records}))
    lengths = sorted({n for cell in own for n in means[cell_key(cell)]["max_length"]})
    texts = [f"{share_text(share)} in {cell.column.title}" for cell, share in own.items()]
    end = "so static padding costs at most the upper end of each interval"
    if not all(share.over_runs for share in own.values()):
        end = "so the upper end bounds what static padding cost in that run; another may differ"
    return (
        f"{row.row.label} at {plan.scale} scale with {plan.weights} weights on {machines}: the "
        f"part of a call's time that grows with the length of the cache is {listed(texts)}, fitted "
        f"to calls at max_length {listed([str(n) for n in lengths])}. All {length} positions are "
        f"taken as padding, each at the cost of those that a greater length adds, {end}."
    )


def _slowest(row: RowCells, own: Shares) -> str:
    """Say whether padding explains the slowest column, if it is far behind."""
    fastest = min(row.comparable, key=lambda cell: cell.step_ms)
    slowest = max(own, key=lambda cell: cell.step_ms)
    ratio = cell_ratio(slowest, fastest)
    if ratio is None or ratio.value < SLOW_GENERATION:
        return ""
    slow, fast = slowest.column.title, fastest.column.title
    return (
        f" {slow} takes {times_within(ratio.value, ratio.interval)} the time of {fast}: "
        f"{explanation(ratio, own[slowest], SLOW_GENERATION)}. "
        f"{slow} ran {_execution(slowest)}, {fast} {_execution(fastest)}."
    )


def _without_share(row: RowCells, own: Shares) -> str:
    """Name columns that pad, too, at whose other lengths nothing was timed."""
    left = [cell.column.title for cell in row.measured if pads(cell) and cell not in own]
    if not left:
        return ""
    return (
        f" The cache of {listed(left)} is static as well; what that costs there was not measured, "
        "since no other length was timed."
    )


def _evidence(cell: Cell, share: Share, means: pd.DataFrame) -> dict[str, Any]:
    return {
        "calls": means[[*KIND, "ms", "calls"]].to_dict("records"),
        "padding_share": share.value,
        "interval": share.interval and [share.interval.low, share.interval.high],
        "share_by_run": {str(number): value for number, value in share.by_run.items()},
        "execution": _execution(cell),
    }


def _execution(cell: Cell) -> str:
    return listed(sorted(cell.reported("execution"))) or "in an unknown mode"
