"""The best set of a row: every framework that is not shown slower than the fastest.

Each other framework is tested against the fastest, one-sided: is it slower by more than the margin
of 2 %? For two frameworks that is the 95 % interval beyond the margin, verdict SLOWER. For more of
them Holm's procedure keeps the chance of putting out any that should stay at 2.5 %: with r left to
be tested, the one with the smallest p is out when that is at most 2.5 % / r; then r is one less.

Holm takes the fastest as named in advance, but it is chosen from the same data: its luck is part of
every comparison. The margin absorbs that as long as runs scatter by no more than a few per cent.
`benchmarks/simulations.py` counts how often one of six equal frameworks is put out: practically
never at a scatter of 0.7 % between runs, in less than 5 % of tables at 7 %, in 6 to 7 % at 20 %
(where a caveat warns of wide intervals). Holm over every ordered pair of frameworks would be safe
at any scatter, but leaves one that is 10 % slower in half of the best sets of three runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from analysis.statistics import (
    CONFIDENCE,
    MARGIN,
    MIN_RUNS,
    Runs,
    deviation,
    geometric_mean,
    paired_logs,
)


def best_set(row: Mapping[str, Runs]) -> frozenset[str]:
    """Names of the best set among the runs of a row, by framework.

    Empty when the fastest has a single run or nothing to be compared with; a framework that shares
    fewer than two rounds with the fastest was not compared with it, so it is never called best.
    """
    measured = {name: runs for name, runs in row.items() if runs}
    if len(measured) < 2:
        return frozenset()
    fastest = min(measured, key=lambda name: geometric_mean(measured[name].values()))
    base = measured.pop(fastest)
    if len(base) < MIN_RUNS:
        return frozenset()
    logs = {name: paired_logs(runs, base) for name, runs in measured.items()}
    p_values = {name: p_slower(found) for name, found in logs.items() if len(found) >= MIN_RUNS}
    return frozenset({fastest, *p_values} - shown_slower(p_values))


def p_slower(logs: Sequence[float], margin: float = MARGIN) -> float:
    """One-sided p of a ratio of times at most 1 + margin, by Student's t on its logarithms."""
    excess = fmean(logs) - math.log1p(margin)
    error = deviation(logs) / math.sqrt(len(logs))
    if error == 0:
        return 0.0 if excess > 0 else 1.0
    from scipy.special import stdtr  # here, because importing it takes longer than most commands

    return float(stdtr(len(logs) - 1, -excess / error))


def shown_slower(p_values: Mapping[str, float]) -> set[str]:
    """Names of those shown slower than the fastest, by Holm's step-down procedure."""
    slower: set[str] = set()
    for name in sorted(p_values, key=p_values.__getitem__):
        if p_values[name] > (1 - CONFIDENCE) / 2 / (len(p_values) - len(slower)):
            break
        slower.add(name)
    return slower
