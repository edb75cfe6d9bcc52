"""Test of the claim that static padding makes generation slow."""

from __future__ import annotations

from dataclasses import replace

from analysis.caveats.generation import explanation, ratio_text, share_text
from analysis.claims.outcome import Outcome, above, all_hold
from analysis.comparisons.gains import cell_of
from analysis.comparisons.padding import Share, explains, padding_share
from analysis.results.cells import Cell, cell_ratio
from analysis.results.results import Results
from analysis.statistics.intervals import Interval, together, widening


def slow_by_padding(results: Results, column: str, task: str, at_least: float) -> Outcome:
    """A column that generates slowly, and would not without the padding to a fixed length."""
    pairs = [
        (slow, fastest)
        for row in results.rows
        if row.row.task == task
        and (slow := cell_of(row, column))
        and (fastest := row.fastest("keras3"))
    ]
    found = [entry for pair in pairs if (entry := _slow(*pair, at_least, len(pairs), results))]
    if not found:
        return Outcome(None, "No row that generates has this column.", tested=False)
    text = "; ".join(entry.text for entry in found)
    evidence = {"rows": {entry.evidence["row"]: entry.evidence for entry in found}}
    return Outcome(all_hold([entry.holds for entry in found]), f"{text}.", evidence=evidence)


def _slow(slow: Cell, fastest: Cell, limit: float, rows: int, results: Results) -> Outcome | None:
    """One of so many rows: how much slower than the fastest backend, and whether padding explains
    it, by intervals that hold for all rows at once.
    """
    ratio = cell_ratio(slow, fastest)
    if ratio is None:
        return None
    label = slow.row.label
    evidence = {"row": label, "ratio": ratio.value}
    text = f"{label}: {ratio_text(ratio)} the time of the fastest backend"
    if above(together(ratio, rows), limit) is False:
        return Outcome(False, text, evidence=evidence)
    length = results.plan.models[slow.row.model].architecture.get("max_length")
    share = padding_share(slow, length) if length else None
    if share is None:
        return Outcome(None, f"{text}, other lengths not timed", evidence=evidence)
    text += f"; {share_text(share)} of it grow with the length of the cache"
    text += f", {explanation(ratio, share, limit)}"
    holds = explains(together(ratio, rows), _share_together(share, rows), limit)
    return Outcome(holds, text, evidence={**evidence, "padding_share": share.value})


def _share_together(share: Share, rows: int) -> Share:
    """With an interval so wide that those of so many rows hold all at once."""
    if not share.over_runs or share.interval is None:
        return share
    freedom = len(share.by_run) - 1
    half = widening(freedom, rows) * (share.interval.high - share.interval.low) / 2
    return replace(share, interval=Interval(share.value - half, share.value + half))
