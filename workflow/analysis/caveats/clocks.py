"""The same steps by other clocks: what a fence after each step changes, and which counters energy
comes from.
"""

import math
from collections.abc import Iterator

from analysis.caveats.core import Found, comparable, rule, where_and_how_much
from analysis.caveats.thresholds import OBSERVER_EFFECT
from analysis.comparisons.observer import observer_ratio, observer_shown
from analysis.data import Data
from analysis.formats.text import listed, times


@rule
def observer_effect(data: Data) -> Iterator[Found]:
    """Steps with a fence after each take another time than steps in a row."""
    cells = comparable(data.results.rows)
    ratios = {cell: ratio for cell in cells if (ratio := observer_ratio(cell))}
    changed = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + OBSERVER_EFFECT and observer_shown(cell)
    }
    yield from where_and_how_much(
        changed, times, size=lambda ratio: abs(math.log(ratio)), threshold=OBSERVER_EFFECT
    )


@rule
def energy_counters_differ(data: Data) -> Iterator[Found]:
    """A GPU's counter and the processors' count different things."""
    for row in data.results.rows:
        counters = {
            cell: sorted({record.energy.counter for record in cell.records if record.energy})
            for cell in row.measured
        }
        counted = {cell: found for cell, found in counters.items() if found}
        if len({counter for found in counted.values() for counter in found}) > 1:
            yield from where_and_how_much(counted, listed)
