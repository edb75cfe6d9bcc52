"""What disturbed the measurement: other processes, swapping, scatter; and the published
arithmetic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from analysis.caveats.causes import CLOCKS, NOISE
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    comparable,
    frame_rule,
    rule,
    where_and_how_much,
)
from analysis.caveats.readings import worst
from analysis.caveats.thresholds import (
    FOREIGN_CPU_SHARE,
    LEGACY_DIFFERENCE,
)
from analysis.comparisons.legacy import Cause, beyond_scatter, explain, unexplained
from analysis.data import Data
from analysis.formats.text import count, listed, ms, percent
from analysis.results.cells import Cell
from analysis.results.profiles import FOREIGN_CPU_HEAVY
from analysis.results.results import Results
from analysis.statistics.intervals import geometric_mean


@frame_rule(
    "Other processes used the processors",
    "Times may be too long; where others took a quarter or more, they are greyed, not compared.",
    Changes.ORDER,
    "Close other programs, remove these records and start again.",
    NOISE,
)
def foreign_load(data: Data) -> Iterator[Caveat]:
    """Other processes worked during the timed steps; from FOREIGN_CPU_HEAVY on a number tells
    nothing.
    """
    shares = worst(data, "load.foreign_cpu_share", lambda share: share >= FOREIGN_CPU_SHARE)
    heavy = {cell: share for cell, share in shares.items() if share >= FOREIGN_CPU_HEAVY}
    light = {cell: share for cell, share in shares.items() if cell not in heavy}
    for found, severity in ((heavy, Severity.CRITICAL), (light, Severity.WARNING)):
        yield from where_and_how_much(
            "foreign_load",
            found,
            "Other processes used the processors during the timed steps, as a share of all cores: "
            "{where}.",
            percent,
            severity=severity,
            threshold=FOREIGN_CPU_SHARE,
        )


@rule(
    "The published arithmetic gives other times",
    "That is no difference between frameworks.",
    Changes.ELSEWHERE,
    cause=CLOCKS,
)
def legacy_differs(results: Results) -> Iterator[Caveat]:
    """The published arithmetic gives another time than ours for the same steps."""
    ratios = {cell: ratio for cell in comparable(results.rows) if (ratio := legacy_ratio(cell))}
    found = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + LEGACY_DIFFERENCE and beyond_scatter(cell)
    }
    explained = _explained(list(found)) if found else ""
    yield from where_and_how_much(
        "legacy_differs",
        found,
        "The published arithmetic gives another time in the same process, by more than "
        f"{percent(LEGACY_DIFFERENCE)} and beyond all of its blocks ({{where}}): no difference "
        f"between frameworks. {explained}",
        describe=_both_ms,
        size=lambda ratio: abs(math.log(ratio)),
        threshold=LEGACY_DIFFERENCE,
    )


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


def legacy_ratio(cell: Cell) -> float | None:
    """Published arithmetic over ours, over the runs that have both; None when none has."""
    ratios = [run.legacy_ms / run.step_ms for run in cell.ok_runs if run.legacy_ms]
    return geometric_mean(ratios) if ratios else None
