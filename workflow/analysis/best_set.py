"""The best set of a row: every framework that is not shown slower than the fastest.

Each other framework is tested against the fastest, one-sided: is it slower by more than the margin
of 2 %? Two things make a plain 95 % interval too bold here. There are several comparisons. And the
fastest is chosen from the same data, so that its luck is part of every comparison: it could have
been any of those that are still in the running.

So the tests are Holm's step-down procedure over all ordered pairs of those in the running. With r
frameworks left to be tested, r + 1 with the fastest, the slowest of them is out when its p is at
most 5 % / (r (r + 1)); then r is one less. For two frameworks that is the 95 % interval beyond the
margin, verdict SLOWER.

Why: let T be the frameworks truly within the margin of the best. Until the first of T is put out,
all of T is in the running, so r + 1 is at least the size of T. Whichever of T looks fastest, one of
at most r (r + 1) ordered pairs in T passed a test that each passes with a probability of at most
5 % / (r (r + 1)): together at most 5 %, whatever depends on whatever. (One outside of T is truly
slower than all of T. It has to look faster than them by luck first.)

`benchmarks/simulations.py` counts how often a framework is put out that should not be, also with
Holm's steps over the r comparisons alone, as if the fastest had been named in advance.
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
    """Names of those shown slower than the fastest, by Holm's steps over all ordered pairs."""
    slower: set[str] = set()
    for name in sorted(p_values, key=p_values.__getitem__):
        left = len(p_values) - len(slower)
        if p_values[name] > (1 - CONFIDENCE) / (left * (left + 1)):
            break
        slower.add(name)
    return slower
