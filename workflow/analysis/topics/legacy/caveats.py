"""Cells of whose steps the published arithmetic gives another time than ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from analysis.caveats.causes import CLOCKS
from analysis.caveats.core import Caveat, Changes, Severity, comparable, label, places, rule
from analysis.caveats.thresholds import LEGACY_DIFFERENCE
from analysis.formats.text import count, listed, ms, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.statistics.intervals import geometric_mean
from analysis.topics.legacy.compute import (
    Cause,
    beyond_scatter,
    explain,
    legacy_ratio,
    unexplained,
)


@rule(
    "The published arithmetic gives other times",
    "That is no difference between frameworks.",
    Changes.ELSEWHERE,
    cause=CLOCKS,
)
def legacy_differs(results: Results) -> Iterator[Caveat]:
    """Cells of whose steps the published arithmetic gives another time than ours."""
    ratios = {cell: ratio for cell in comparable(results.rows) if (ratio := legacy_ratio(cell))}
    worst = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + LEGACY_DIFFERENCE and beyond_scatter(cell)
    }
    if worst:
        where = places(worst, _both_ms, lambda cell: abs(math.log(worst[cell])))
        sentence = (
            "The published arithmetic gives another time in the same process, by more than "
            f"{percent(LEGACY_DIFFERENCE)} and beyond all of its blocks ({where}): no difference "
            f"between frameworks. {_explained(list(worst))}"
        )
        evidence = {
            "legacy_over_ours": {label(cell): ratio for cell, ratio in worst.items()},
            "threshold": LEGACY_DIFFERENCE,
        }
        yield Caveat("legacy_differs", Severity.WARNING, tuple(worst), evidence, sentence)


def _explained(cells: list[Cell]) -> str:
    """How many of the differences show the mark of a known fault of the published arithmetic."""
    causes = Counter(explain(cell).cause for cell in cells)
    left = causes.pop(Cause.UNEXPLAINED, 0)
    without = [cell for cell in cells if explain(cell).cause is Cause.UNEXPLAINED]
    known = [f"{cause} in {number}" for cause, number in causes.most_common()]
    rest = unexplained(without)
    if not known:
        return f"None of its known faults shows in {count(len(cells), 'such cell')}: {rest}."
    others = f"; in {left} none does: {rest}" if left else ""
    return f"Its known faults show in {len(cells) - left} of {len(cells)}: {listed(known)}{others}."


def _both_ms(cell: Cell) -> str:
    """The two times as measured, in the runs that have both."""
    runs = [run for run in cell.ok_runs if run.legacy_ms]
    published, ours = (
        geometric_mean(found)
        for found in ([run.legacy_ms for run in runs], [run.step_ms for run in runs])
    )
    return f"{ms(published)} instead of {ms(ours)} ms"
