"""Test of the claim that static padding makes generation slow."""

from __future__ import annotations

from dataclasses import replace

from analysis.claims.outcome import Outcome, above, all_hold, claim_test
from analysis.comparisons.gains import cell_of
from analysis.data import Data, cell_key
from analysis.formats.text import times_within
from analysis.results.cells import Cell, cell_ratio
from analysis.results.results import Results
from analysis.statistics.intervals import Interval, together, widening
from analysis.topics.padding.compute import Share, explains, shares
from analysis.topics.padding.texts import explanation, share_text


@claim_test()
def slow_by_padding(results: Results, column: str, task: str, at_least: float) -> Outcome:
    """A column that generates slowly, and would not without the padding to a fixed length."""
    pairs = [
        (slow, fastest)
        for row in results.rows
        if row.row.task == task
        and (slow := cell_of(row, column))
        and (fastest := row.fastest("keras3"))
    ]
    padding = shares(Data(results)) if pairs else {}
    found = [
        entry
        for slow, fastest in pairs
        if (entry := _slow(slow, fastest, padding.get(cell_key(slow)), at_least, len(pairs)))
    ]
    if not found:
        return Outcome(None, "No row that generates has this column.", tested=False)
    text = "; ".join(entry.text for entry in found)
    evidence = {"rows": {entry.evidence["row"]: entry.evidence for entry in found}}
    return Outcome(all_hold([entry.holds for entry in found]), f"{text}.", evidence=evidence)


def _slow(
    slow: Cell, fastest: Cell, share: Share | None, limit: float, rows: int
) -> Outcome | None:
    """Say of one of so many rows how much slower than the fastest backend it is, and whether
    padding explains it, by intervals that hold for all rows at once.
    """
    ratio = cell_ratio(slow, fastest)
    if ratio is None:
        return None
    label = slow.row.label
    evidence = {"row": label, "ratio": ratio.value}
    text = f"{label}: {times_within(ratio.value, ratio.interval)} the time of the fastest backend"
    if above(together(ratio, rows), limit) is False:
        return Outcome(False, text, evidence=evidence)
    if share is None:
        return Outcome(None, f"{text}, other lengths not timed", evidence=evidence)
    text += f"; {share_text(share)} of it grow with the length of the cache"
    text += f", {explanation(ratio, share, limit)}"
    holds = explains(together(ratio, rows), _share_together(share, rows), limit)
    return Outcome(holds, text, evidence={**evidence, "padding_share": share.value})


def _share_together(share: Share, rows: int) -> Share:
    """Widen its interval so that those of so many rows hold all at once."""
    if not share.over_runs or share.interval is None:
        return share
    freedom = len(share.by_run) - 1
    half = widening(freedom, rows) * (share.interval.high - share.interval.low) / 2
    return replace(share, interval=Interval(share.value - half, share.value + half))
