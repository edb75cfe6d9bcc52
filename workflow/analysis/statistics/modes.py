"""Processes that fall into two modes: as memory is laid out, or a compiler happens to choose, a
process is fast or slow from its start to its end (Kalibera and Jones 2013; Mytkowicz et al. 2009).

The values of a cell are cut in two where that explains most. They are two modes when each holds two
processes at least, they lie further apart than the margin, and further than APART standard
deviations within. Of normal values that happens to 0.8 % of cells of six runs and 0.1 % of eight;
of two modes that are sixteen such deviations apart, 75 and 91 % are found. Fewer than six runs say
too little.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median

from analysis.statistics.intervals import MARGIN, Runs
from analysis.statistics.starts import squares

MIN_PROCESSES = 6
MIN_ROW = 3  # columns of a row; fewer do not tell what its rounds have in common
APART = 10.0  # standard deviations within a mode


def modes_of(logs: Sequence[float]) -> list[bool] | None:
    """For each of the logarithms of a cell's run means, True if it is of the slower of two modes;
    None where they are not two.
    """
    count, ordered = len(logs), sorted(logs)
    if count < MIN_PROCESSES:
        return None
    cuts = range(2, count - 1)
    cut = min(cuts, key=lambda cut: squares(ordered[:cut]) + squares(ordered[cut:]))
    fast, slow = ordered[:cut], ordered[cut:]
    within = math.sqrt((squares(fast) + squares(slow)) / (count - 2))
    apart = fmean(slow) - fmean(fast)
    if apart <= math.log1p(MARGIN) or apart <= APART * within:
        return None
    return [log >= slow[0] for log in logs]


def without_rounds(row: Mapping[str, Runs]) -> dict[str, list[float]]:
    """Logarithms of the columns of a row, less what its rounds have in common: the median over
    columns of the deviation of each from its mean; empty where a row has too few columns.
    """
    if len(row) < MIN_ROW:
        return {}
    logs = {name: {at: math.log(ms) for at, ms in runs.items()} for name, runs in row.items()}
    means = {name: fmean(found.values()) for name, found in logs.items() if found}
    common: dict[object, list[float]] = {}
    for name, found in logs.items():
        for place, log in found.items():
            common.setdefault(place, []).append(log - means[name])
    return {
        name: [log - median(common[place]) for place, log in found.items()]
        for name, found in logs.items()
    }
