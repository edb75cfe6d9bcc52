"""Did the steps of a run reach a steady state? Judged from the means of its timing windows.

After Barrett, Bolz-Tereick, Killick, Mount and Tratt 2017, "Virtual machine warmup blows hot and
cold": change points cut a run into segments, segments within 1 % of each other are equivalent, and
their order gives the state of the run. Differences, because our runs have tens of windows instead
of 2,000 iterations:

- Values are logarithms of window means without spikes (running medians of three; the first window
  stays, because one slow window at the start is what warm-up looks like).
- Noise is a robust scale of the differences of neighboring windows, at least 0.25 %.
- Change points (PELT, `ruptures`) cost 15 ln n each, in units of the variance of the noise. They
  count only if levels explain the windows better than stationary AR(1) noise around one level does,
  by 6 ln n each. If a straight line explains more than levels do, the run never settled.
- Runs with fewer than eight windows are not tested.

A slow change that every run shows is not found in one run. Over three or more runs it is: the ratio
of the first half of the kept windows to the second is one value per run.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import ruptures

from millistep.analysis.stats import t_means

FLAT = "flat"  # one level
WARM_UP = "warm-up"  # slower before the final level, never faster
SLOWDOWN = "slowdown"  # faster before the final level
NONE = "no steady state"  # the final level is too short
INCONSISTENT = "inconsistent"  # some runs of a cell differ from most
NOT_TESTED = "not tested"  # too few windows
STEADY = (FLAT, WARM_UP, NOT_TESTED)

MIN_WINDOWS = 8
MIN_COURSES = 3
PENALTY = 15  # times ln(windows), per change point
WANDERING = 6  # times ln(windows): what each must explain beyond AR(1) noise
MEMORIES = np.arange(46) / 50  # of the AR(1) noise
EQUIVALENT = np.log(1.01)
QUIET = 0.0025
UPPER_QUARTILE = 1.6269  # of |x - y| for standard normal x and y
TAIL_SHARE = 0.25  # of the windows, the least for a final level


def run(logs: np.ndarray) -> tuple[str, float, int]:
    """Return state, course and number of warm-up windows of a run from logs of window means.

    The course is the log of the first half of the kept windows over the second, as far as it
    exceeds their noise; NaN if it was not tested.
    """
    if len(logs) < MIN_WINDOWS:
        return NOT_TESTED, np.nan, 0
    values, deviation = without_spikes(logs), noise(logs)
    state, tail = _shape(values, change_points(values, deviation))
    skipped = tail if state == WARM_UP else 0
    return state, _course(values[skipped:], deviation), skipped


def cells(runs: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """Return state and steady of each cell.

    A cell is not steady if most of its runs are not, or if all of them are shown to change by more
    than 1 % from one half to the other.
    """
    courses = runs.assign(course=runs["course"].astype(float)).groupby(cell, sort=False)["course"]
    found = t_means(courses)
    tested = found["values"] >= MIN_COURSES
    slower_first = tested & (found["low"] > EQUIVALENT)
    faster_first = tested & (found["high"] < -EQUIVALENT)
    states = runs.groupby(cell, sort=False)["state"].agg(_most)
    found["state"] = states.where(~slower_first, WARM_UP).where(~faster_first, SLOWDOWN)
    settled = found["state"].isin([*STEADY, INCONSISTENT])
    return found.assign(steady=settled & ~slower_first)[["state", "steady"]]


def _most(states: pd.Series) -> str:
    """Return the state of a cell from the states of its runs."""
    counts = Counter(states)
    unsteady = [state for state, _ in counts.most_common() if state not in STEADY]
    if 2 * sum(counts[state] for state in unsteady) > len(states):
        return str(unsteady[0])
    if 2 * counts[WARM_UP] > len(states):
        return WARM_UP
    if counts[WARM_UP] or unsteady:
        return INCONSISTENT
    return NOT_TESTED if NOT_TESTED in counts else FLAT


def without_spikes(values: np.ndarray) -> np.ndarray:
    """Return running medians of three; the first value stays."""
    starts = np.minimum(np.arange(len(values) - 1), len(values) - 3)
    triples = np.stack([values[starts], values[starts + 1], values[starts + 2]])
    return np.concatenate([values[:1], np.median(triples, axis=0)])


def noise(values: np.ndarray) -> float:
    """Return the standard deviation of the noise around levels that jump now and then."""
    jumps = np.abs(np.diff(values))
    return max(float(np.quantile(jumps, 0.75)) / UPPER_QUARTILE, QUIET)


def change_points(values: np.ndarray, deviation: float) -> list[int]:
    """Return the start of each segment, 0 first."""
    penalty = PENALTY * np.log(len(values))
    scaled = (values - values.mean()) / deviation
    if scaled @ scaled <= penalty:
        return [0]  # one change point would cost more than there is to gain
    found = ruptures.KernelCPD(kernel="linear", min_size=1).fit_predict(scaled, pen=penalty)
    return [0, *map(int, found[:-1])]


def _course(values: np.ndarray, deviation: float) -> float:
    middle = len(values) // 2
    found = values[:middle].mean() - values[middle:].mean()
    unsure = 2 * deviation * np.sqrt(1 / middle + 1 / (len(values) - middle))
    return float(np.copysign(max(0.0, abs(found) - unsure), found))


def _shape(values: np.ndarray, starts: Sequence[int]) -> tuple[str, int]:
    """Return the state, and the first window of the final level."""
    if len(starts) == 1:
        return FLAT, 0
    number, each = len(values), WANDERING * np.log(len(values))
    sizes = np.diff([*starts, number])
    levels = np.repeat(np.eye(len(starts)), sizes, axis=0)
    line = np.column_stack([np.ones(number), np.arange(number)])
    wandering = _misfit(values, line[:, :1])
    by_levels = wandering - _misfit(values, levels) - each * (len(starts) - 1)
    by_line = wandering - _misfit(values, line) - each
    if max(by_levels, by_line) < 0:
        return FLAT, 0
    if by_levels >= by_line:
        return _judge(values, starts)
    return (SLOWDOWN if values[-1] > values[0] else NONE), number // 2


def _misfit(values: np.ndarray, explained: np.ndarray) -> float:
    """Return -2 log likelihood of values by these columns with the best AR(1) noise.

    Each memory m removes the noise's memory by y[t] - m y[t-1], with sqrt(1 - m^2) y[0] in front.
    The products of the columns after that are a polynomial in m.
    """
    number, m = len(values), MEMORIES[:, None, None]
    both = np.column_stack([explained, values - values.mean()])
    next_to = both[1:].T @ both[:-1]
    products = both.T @ both - m * (next_to + next_to.T) + m**2 * (both[1:-1].T @ both[1:-1])
    with_values = products[:, :-1, -1:]
    weights = np.linalg.solve(products[:, :-1, :-1], with_values)
    left = products[:, -1, -1] - (with_values * weights).sum(axis=(1, 2))
    variance = left.clip(min=0) / number + QUIET**2
    return float((number * np.log(variance) - np.log(1 - MEMORIES**2)).min())


def _judge(values: np.ndarray, starts: Sequence[int]) -> tuple[str, int]:
    """Return the state of a run with these segments, and the first window of its final level."""
    levels = [values[a:b].mean() for a, b in pairwise([*starts, len(values)])]
    final, tail = levels[-1], len(values)
    for start, level in zip(reversed(starts), reversed(levels), strict=True):
        if abs(level - final) > EQUIVALENT:
            break
        tail = start
    if tail == 0:
        return FLAT, 0
    if len(values) - tail < TAIL_SHARE * len(values):
        return NONE, tail
    return (SLOWDOWN if min(levels) < final - EQUIVALENT else WARM_UP), tail
