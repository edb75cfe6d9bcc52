"""Cells whose steps get another time by the published arithmetic than by ours."""

import math
from collections import Counter
from collections.abc import Iterator

from analysis.caveats.core import Found, comparable, labelled, places, rule
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
    """Cells whose steps get another time by the published arithmetic than by ours."""
    cells = comparable(data.results.rows)
    ratios = {cell: ratio for cell in cells if (ratio := legacy_ratio(cell))}
    worst = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + LEGACY_DIFFERENCE and beyond_scatter(cell)
    }
    where = places(worst, _both_ms, lambda cell: abs(math.log(worst[cell])))
    evidence = {"legacy_over_ours": labelled(worst), "threshold": LEGACY_DIFFERENCE}
    yield Found(worst, evidence, {"where": where, "explained": _explained(list(worst))})


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
    return f"{ms(published)} instead of {ms(ours)} ms"
