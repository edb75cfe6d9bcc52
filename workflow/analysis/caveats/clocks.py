"""The same steps by other clocks: what a fence after each step changes, and which counters energy
comes from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.caveats.causes import CLOCKS
from analysis.caveats.core import Caveat, Changes, Severity, comparable, rule, where_and_how_much
from analysis.caveats.thresholds import OBSERVER_EFFECT
from analysis.comparisons.observer import observer_ratio, observer_shown
from analysis.formats.text import listed, percent, times
from analysis.results.results import Results


@rule(
    "A fence after every step changes the time",
    "A loop that looks at every step sees that time instead of the one in the table.",
    Changes.ELSEWHERE,
    cause=CLOCKS,
)
def observer_effect(results: Results) -> Iterator[Caveat]:
    """Steps with a fence after each take another time than steps in a row."""
    ratios = {cell: ratio for cell in comparable(results.rows) if (ratio := observer_ratio(cell))}
    changed = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + OBSERVER_EFFECT and observer_shown(cell)
    }
    yield from where_and_how_much(
        "observer_effect",
        changed,
        "A median step with a fence after it takes another time than a step in a row, by more than "
        f"{percent(OBSERVER_EFFECT)} ({{where}}): a loop that looks at every step would see that "
        "time instead of the one in the table.",
        times,
        severity=Severity.NOTE,
        size=lambda ratio: abs(math.log(ratio)),
        threshold=OBSERVER_EFFECT,
    )


@rule(
    "Energy was counted by different counters",
    "Joules of these cells are not comparable.",
    Changes.ELSEWHERE,
)
def energy_counters_differ(results: Results) -> Iterator[Caveat]:
    """A GPU's counter and the processors' count different things."""
    for row in results.rows:
        counters = {
            cell: sorted({record.energy.counter for record in cell.records if record.energy})
            for cell in row.measured
        }
        counted = {cell: found for cell, found in counters.items() if found}
        if len({counter for found in counted.values() for counter in found}) > 1:
            yield from where_and_how_much(
                "energy_counters_differ",
                counted,
                "Energy was counted by different counters; not comparable: {where}.",
                listed,
            )
