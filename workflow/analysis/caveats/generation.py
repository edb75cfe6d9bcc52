"""What static padding costs a call of ``generate()``, and whether it makes a column slow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from analysis.caveats.core import Caveat, Changes, Severity, label, rule
from analysis.caveats.provenance import describe
from analysis.caveats.thresholds import SLOW_GENERATION
from analysis.comparisons.calls import Call, compared_calls, kinds
from analysis.comparisons.padding import (
    Share,
    explains,
    padding_share,
    pads,
    without_padding,
)
from analysis.formats.text import count, listed, percent, spelled, times
from analysis.results.cells import Cell, cell_ratio
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import Ratio

Shares = dict[Cell, Share]


@rule(
    "Static padding in generation",
    "Part of a call's time grows with the length of the cache; it bounds what padding costs.",
    Changes.TIMES,
)
def static_padding(results: Results) -> Iterator[Caveat]:
    """Rows that generate: the share of padding in a call's time, and what else is slow."""
    for row in results.rows:
        length = results.plan.models[row.row.model].architecture.get("max_length")
        shares = {
            c: share for c in row.comparable if length and (share := padding_share(c, length))
        }
        if shares:
            evidence = {label(cell): _evidence(cell, shares[cell], length) for cell in shares}
            sentence = f"{_bound(results, row, shares, length)}{_slowest(row, shares)}"
            sentence += _without_share(row, shares)
            yield Caveat("static_padding", Severity.WARNING, tuple(shares), evidence, sentence)


def _bound(results: Results, row: RowCells, shares: Shares, length: int) -> str:
    """What was measured, where, and the share of each column with its interval."""
    plan = results.plan
    machines = listed(sorted({describe(r.machine) for cell in shares for r in cell.records}))
    lengths = sorted({mean.max_length for cell in shares for mean in _means(cell, length)})
    texts = [f"{share_text(share)} in {cell.column.title}" for cell, share in shares.items()]
    end = "so static padding costs at most the upper end of each interval"
    if not all(share.over_runs for share in shares.values()):
        end = "so the upper end bounds what static padding cost in that run; another may differ"
    return (
        f"{row.row.label} at {plan.scale} scale with {plan.weights} weights on {machines}: the "
        f"part of a call's time that grows with the length of the cache is {listed(texts)}, fitted "
        f"to calls at max_length {listed([str(n) for n in lengths])}. All {length} positions are "
        f"taken as padding, each at the cost of those that a greater length adds, {end}."
    )


def _without_share(row: RowCells, shares: Shares) -> str:
    """Columns that pad, too, at whose other lengths nothing was timed."""
    left = [cell.column.title for cell in row.measured if pads(cell) and cell not in shares]
    if not left:
        return ""
    return (
        f" The cache of {listed(left)} is static as well; what that costs there was not measured, "
        "since no other length was timed."
    )


def share_text(share: Share) -> str:
    """'4.1 % [3.2 %, 5 %] (3 runs)'; a share that noise makes negative is printed as 0."""
    runs = count(len(share.by_run), "run") if share.over_runs else "within one run"
    if share.interval is None:
        return f"{_clipped(share.value)} ({runs}, no interval)"
    return (
        f"{_clipped(share.value)} [{_clipped(share.interval.low)}, "
        f"{_clipped(share.interval.high)}] ({runs})"
    )


def _clipped(value: float) -> str:
    return percent(min(1.0, max(0.0, value)))


def _slowest(row: RowCells, shares: Shares) -> str:
    """Whether padding explains the slowest column, if it is far behind."""
    fastest = min(row.comparable, key=lambda cell: cell.step_ms)
    slowest = max(shares, key=lambda cell: cell.step_ms)
    ratio = cell_ratio(slowest, fastest)
    if ratio is None or ratio.value < SLOW_GENERATION:
        return ""
    slow, fast = slowest.column.title, fastest.column.title
    return (
        f" {slow} takes {ratio_text(ratio)} the time of {fast}: "
        f"{explanation(ratio, shares[slowest], SLOW_GENERATION)}. "
        f"{slow} ran {_execution(slowest)}, {fast} {_execution(fastest)}."
    )


def ratio_text(ratio: Ratio) -> str:
    """'7.05× [6.9×, 7.2×]'."""
    ends = ratio.interval
    return times(ratio.value) + (f" [{times(ends.low)}, {times(ends.high)}]" if ends else "")


def explanation(ratio: Ratio, share: Share, limit: float) -> str:
    """Whether padding is why a column takes so much longer, as far as the intervals show."""
    left = without_padding(ratio.interval, share) if ratio.interval else None
    if left is None:
        without = times(ratio.value * (1 - max(0.0, share.value)))
        return f"one run does not show whether padding explains it (without any, {without} by it)"
    low, high = times(max(0.0, left.low)), times(left.high)
    return {
        False: f"padding does not explain it, without any it would still be at least {low}",
        True: f"padding explains it, without it would be at most {high}",
        None: f"undecided whether padding explains it, without it would be {low} to {high}",
    }[explains(ratio.interval, share, limit)]


def _means(cell: Cell, length: int) -> list[Call]:
    return list(kinds(compared_calls(cell, length)).values())


def _evidence(cell: Cell, share: Share, length: int) -> dict[str, Any]:
    return {
        "calls": [asdict(mean) for mean in _means(cell, length)],
        "padding_share": share.value,
        "interval": share.interval and [share.interval.low, share.interval.high],
        "share_by_run": {str(number): value for number, value in share.by_run.items()},
        "execution": _execution(cell),
    }


def _execution(cell: Cell) -> str:
    modes = {r.parity["execution"] for r in cell.records if r.parity}
    return listed([spelled(mode) for mode in sorted(modes)]) or "in an unknown mode"
