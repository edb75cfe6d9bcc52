"""Whether the steps of a run were steady: change points in the means of its blocks.

After Barrett et al. 2017, "Virtual machine warmup blows hot and cold". A run that is not steady is
timed as long again. The analysis classifies the same blocks by itself; a test holds the two to the
same answer, so a change here is a change there (``analysis/steady_state.py`` says why each number
is what it is).
"""

import math
from itertools import pairwise
from statistics import median, quantiles

MIN_BLOCKS = 8
PENALTY = 15  # times ln(blocks), for each change point
EQUIVALENT = math.log(1.01)
QUIET = 0.0025  # noise below this share of a step is not told apart
UPPER_QUARTILE = 1.6269  # of |x - y|, for x and y of standard normal distribution


def is_steady(blocks: list[tuple[int, int]]) -> bool:
    """True when the mean over all blocks of (steps, elapsed ns) is that of a level they stay on.

    Also true of fewer than MIN_BLOCKS blocks, which cannot tell.
    """
    if len(blocks) < MIN_BLOCKS:
        return True
    logs = [math.log(ns / steps) for steps, ns in blocks]
    levels = segments(without_spikes(logs), PENALTY * math.log(len(logs)) * noise(logs) ** 2)
    (start, last), *earlier = reversed(levels)
    if any(level < last - EQUIVALENT for _, level in earlier):
        return False  # it was faster before
    for begin, level in earlier:
        if level > last + EQUIVALENT:
            break
        start = begin
    long_enough = 4 * (len(blocks) - start) >= len(blocks)
    return long_enough and abs(math.log(mean(blocks) / mean(blocks[start:]))) <= EQUIVALENT


def mean(blocks: list[tuple[int, int]]) -> float:
    """ns per step."""
    return sum(ns for _, ns in blocks) / sum(steps for steps, _ in blocks)


def without_spikes(values: list[float]) -> list[float]:
    """Running medians of three; the first value stays, since a slow first block is warm-up."""
    starts = [min(i - 1, len(values) - 3) for i in range(1, len(values))]
    return [values[0], *(median(values[start : start + 3]) for start in starts)]


def noise(values: list[float]) -> float:
    """Standard deviation around levels that jump now and then."""
    jumps = [abs(b - a) for a, b in pairwise(values)]
    return max(quantiles(jumps, n=4, method="inclusive")[2] / UPPER_QUARTILE, QUIET)


def segments(values: list[float], penalty: float) -> list[tuple[int, float]]:
    """(first index, mean) of each segment of the partition with the least sum of squares, where
    each segment costs a penalty. Exact, by dynamic programming over where the last one begins.
    """
    sums, squares = [0.0], [0.0]
    for value in values:
        sums.append(sums[-1] + value - values[0])  # from the first, to lose no digits
        squares.append(squares[-1] + (value - values[0]) ** 2)
    costs, begins = [0.0], [0]
    for end in range(1, len(values) + 1):
        options = [
            costs[b] + penalty + squares[end] - squares[b] - (sums[end] - sums[b]) ** 2 / (end - b)
            for b in range(end)
        ]
        costs.append(min(options))
        begins.append(options.index(costs[-1]))
    found, end = [], len(values)
    while end:
        begin = begins[end]
        found.append((begin, values[0] + (sums[end] - sums[begin]) / (end - begin)))
        end = begin
    return found[::-1]
