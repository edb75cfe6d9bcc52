"""Test of the claim that static padding makes generation slow."""

from dataclasses import replace

from analysis.claims.outcome import Outcome, all_hold, claim_test, untested
from analysis.comparisons.gains import Gain, entrants, gain_of
from analysis.data import Data, cell_key
from analysis.formats.spelling import within
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import Interval, above, ends, t_quantile
from analysis.topics.padding.compute import (
    Share,
    explains,
    explanation,
    most_padding,
    share_text,
    shares,
)


@claim_test()
def slow_by_padding(results: Results, column: str, task: str, at_least: float) -> Outcome:
    """Test that a column generates slowly, and would not without padding to a fixed length."""
    rows = [row for row in results.rows if row.row.task == task]
    gains = [gain for row in rows if (gain := _over_fastest(row, column))]
    if not gains:
        return untested("No row that generates has this column and another of Keras 3.")
    padding = shares(Data(results))
    found = []
    for gain in gains:
        share = padding.get(cell_key(gain.base))
        fast_share = max(most_padding(cell, padding.get(cell_key(cell))) for cell in gain.of_new)
        found.append(_slow(gain, share, fast_share, at_least, len(gains)))
    text = "; ".join(entry.text for entry in found)
    evidence = {"rows": {entry.evidence["row"]: entry.evidence for entry in found}}
    return Outcome(all_hold([entry.holds for entry in found]), f"{text}.", evidence=evidence)


def _over_fastest(row: RowCells, column: str) -> Gain | None:
    """The gain over a column of the fastest of Keras 3, which may be itself: its interval is about
    the others, whichever is the fastest of them. None where there is no other.
    """
    slow, family = entrants(row, column), row.family("keras3")
    found = gain_of(family, slow)
    others = tuple(cell for cell in family if cell not in slow)
    return replace(found, of_new=others) if found and others else None


def _slow(gain: Gain, share: Share | None, fast_share: float, limit: float, rows: int) -> Outcome:
    """Say of one of so many rows how much slower than the fastest backend it is, and whether
    padding explains it, by intervals that hold for all rows and backends at once.
    """
    slow, ratio, interval = gain.base, gain.ratio, gain.together(rows)
    label = slow.row.label
    evidence = {"row": label, "ratio": ratio.value}
    text = f"{label}: {within(ratio.value, *ends(ratio.interval))} the time of the fastest backend"
    if above(interval, limit) is False:
        return Outcome(False, text, evidence=evidence)
    if share is None:
        return Outcome(None, f"{text}, other lengths not timed", evidence=evidence)
    text += f"; {share_text(share)} of it grow with the length of the cache"
    text += f", {explanation(ratio, share, fast_share, limit)}"
    holds = explains(interval, _share_together(share, rows), fast_share, limit)
    return Outcome(holds, text, evidence={**evidence, "padding_share": share.value})


def _share_together(share: Share, rows: int) -> Share:
    """Widen its interval so that those of so many rows hold all at once."""
    if not share.over_runs or share.interval is None:
        return share
    freedom = len(share.by_run) - 1
    wider = t_quantile(freedom, rows) / t_quantile(freedom)
    half = wider * (share.interval.high - share.interval.low) / 2
    return replace(share, interval=Interval(share.value - half, share.value + half))
