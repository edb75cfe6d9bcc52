"""The same steps by other clocks: what a fence after each step changes, and which counters energy
comes from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, comparable, label, places, rule
from analysis.caveats.thresholds import OBSERVER_EFFECT
from analysis.comparisons.observer import observer_ratio, observer_shown
from analysis.formats.text import listed, percent, times
from analysis.results.results import Results


@rule(
    "A fence after every step changes the time",
    "A loop that looks at every step sees that time instead of the one in the table.",
    Changes.ELSEWHERE,
)
def observer_effect(results: Results) -> Iterator[Caveat]:
    """Steps with a fence after each take another time than steps in a row."""
    ratios = {cell: ratio for cell in comparable(results.rows) if (ratio := observer_ratio(cell))}
    changed = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + OBSERVER_EFFECT and observer_shown(cell)
    }
    if changed:
        where = places(
            changed, lambda cell: times(changed[cell]), lambda cell: abs(math.log(changed[cell]))
        )
        sentence = (
            "A median step with a fence after it takes another time than a step in a row, by more "
            f"than {percent(OBSERVER_EFFECT)} ({where}): a loop that looks at every step would see "
            "that time instead of the one in the table."
        )
        evidence = {
            "synchronised_over_pipelined": {label(cell): r for cell, r in changed.items()},
            "threshold": OBSERVER_EFFECT,
        }
        yield Caveat("observer_effect", Severity.NOTE, tuple(changed), evidence, sentence)


@rule(
    "Energy by other counters",
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
            where = places(counted, lambda cell, counted=counted: listed(counted[cell]))
            sentence = f"Energy was counted by different counters; not comparable: {where}."
            evidence = {"counters": {label(cell): found for cell, found in counted.items()}}
            yield Caveat(
                "energy_counters_differ", Severity.WARNING, tuple(counted), evidence, sentence
            )
