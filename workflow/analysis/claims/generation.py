"""Test of the claim that static padding makes generation slow."""

from __future__ import annotations

from analysis.backends import column
from analysis.caveats.generation import explanation, ratio_words, share_words
from analysis.cells import Results, RowCells, cell_ratio
from analysis.claims.outcome import Outcome, above, all_hold
from analysis.padding import explains, padding_share


def slow_by_padding(results: Results, framework: str, task: str, at_least: float) -> Outcome:
    """A column that generates slowly, and would not without the padding to a fixed length."""
    rows = [row for row in results.rows if row.row.task == task]
    found = [entry for row in rows if (entry := _slow(row, framework, at_least, results))]
    if not found:
        return Outcome(None, "No row that generates has this column.", tested=False)
    words = "; ".join(entry.words for entry in found)
    evidence = {"rows": {entry.evidence["row"]: entry.evidence for entry in found}}
    return Outcome(all_hold([entry.holds for entry in found]), f"{words}.", evidence=evidence)


def _slow(row: RowCells, framework: str, limit: float, results: Results) -> Outcome | None:
    """One row: how much slower than the fastest backend, and whether padding explains it."""
    slow, fastest = column(row, framework), row.fastest("keras3")
    ratio = cell_ratio(slow, fastest) if slow and fastest else None
    if ratio is None:
        return None
    evidence = {"row": row.row.label, "ratio": ratio.value}
    words = f"{row.row.label}: {ratio_words(ratio)} the time of the fastest backend"
    if above(ratio.interval, limit) is False:
        return Outcome(False, words, evidence=evidence)
    length = results.plan.models[row.row.model].architecture.get("max_length")
    share = padding_share(slow, length) if length else None
    if share is None:
        return Outcome(None, f"{words}, other lengths not timed", evidence=evidence)
    words += f"; {share_words(share)} of it grow with the length of the cache"
    words += f", {explanation(ratio, share, limit)}"
    holds = explains(ratio.interval, share, limit)
    return Outcome(holds, words, evidence={**evidence, "padding_share": share.value})
