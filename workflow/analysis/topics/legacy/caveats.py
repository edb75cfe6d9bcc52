"""Cells whose steps get another time by the published arithmetic than by ours."""

import math
from collections import Counter
from collections.abc import Iterator

from analysis.caveats.core import Found, Severity, comparable, labelled, places, rule
from analysis.caveats.thresholds import LEGACY_DIFFERENCE
from analysis.data import Data
from analysis.formats.text import count, listed, ms
from analysis.results.cells import Cell
from analysis.statistics.intervals import geometric_mean
from analysis.topics.legacy.compute import (
    Cause,
    beyond_scatter,
    cause_of,
    legacy_ratio,
    unexplained,
)


@rule
def legacy_differs(data: Data) -> Iterator[Found]:
    """Cells whose steps get another time by the published arithmetic than by ours, through a known
    fault of it; a note where none shows, for that may be noise.
    """
    cells = comparable(data.results.rows)
    ratios = {cell: ratio for cell in cells if (ratio := legacy_ratio(cell))}
    worst = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + LEGACY_DIFFERENCE and beyond_scatter(cell)
    }
    faulty = {c: ratio for c, ratio in worst.items() if cause_of(c) is not Cause.UNEXPLAINED}
    told, severity = (faulty, None) if faulty else (worst, Severity.NOTE)
    where = places(told, _both_ms, lambda cell: abs(math.log(told[cell])))
    evidence = {"legacy_over_ours": labelled(told), "threshold": LEGACY_DIFFERENCE}
    yield Found(told, evidence, {"where": where, "explained": _explained(list(worst))}, severity)


def _explained(cells: list[Cell]) -> str:
    """How many differences show the mark of a known fault of the published arithmetic."""
    causes = Counter(map(cause_of, cells))
    left = causes.pop(Cause.UNEXPLAINED, 0)
    without = [cell for cell in cells if cause_of(cell) is Cause.UNEXPLAINED]
    known = [f"{cause} in {number}" for cause, number in causes.most_common()]
    rest = unexplained(without)
    if not known:
        return f"None of its known faults shows in {count(len(cells), 'such cell')}: {rest}."
    others = f"; in {left} none does: {rest}" if left else ""
    return f"Its known faults show in {len(cells) - left} of {len(cells)}: {listed(known)}{others}."


def _both_ms(cell: Cell) -> str:
    """The two times as measured, in the runs that have both."""
    times_ms = [(run.legacy_ms, run.step_ms) for run in cell.ok_runs if run.legacy_ms]
    published, ours = map(geometric_mean, zip(*times_ms, strict=True))
    return f"{ms(published)} instead of our {ms(ours)} ms"
