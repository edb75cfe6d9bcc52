"""Where a ratio of times crosses one as sizes grow: from which size on the second of two is faster.

Between two measured sizes the logarithm of the ratio is taken for linear in that of the size. The
crossing is the last one: from there on the second is faster at every measured size.

Its interval is simulated. The mean of each size is drawn from Student's t with the error and the
degrees of freedom that its runs have (two or three runs drawn anew from themselves, as in a
bootstrap, would scatter too little), and the middle 95 % of the crossings are the interval. The
sizes are independent: they were measured by different processes.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from analysis.statistics.intervals import CONFIDENCE, Interval, Ratio

DRAWS = 2000
BELOW, ABOVE = 0.0, math.inf  # a crossing before the smallest size, and one behind the largest


Sizes = Sequence[tuple[float, Ratio]]  # a size, and t of the first / t of the second


@dataclass(frozen=True)
class CrossOver:
    """`size` is BELOW where the second is faster at every size, ABOVE where it is not at the
    largest; so may the ends of the interval be. `times` is how often the ratio crosses one, up or
    down.
    """

    size: float
    interval: Interval | None
    times: int


def cross_over(found: Sizes, seed: int = 1) -> CrossOver:
    """The crossing of two or more sizes in ascending order; deterministic.

    Without an interval where a size has a single run.
    """
    sizes, ratios = zip(*found, strict=True)
    logs = [ratio.log for ratio in ratios]
    times = sum((one > 0) != (other > 0) for one, other in pairwise(logs))
    return CrossOver(crossing(sizes, logs), _interval(sizes, ratios, seed), times)


def crossing(sizes: Sequence[float], logs: Sequence[float]) -> float:
    """The size from which on all logarithms of the ratio are above 0, or BELOW, or ABOVE."""
    behind = [place for place, log in enumerate(logs) if log <= 0]
    if not behind:
        return BELOW
    last = behind[-1]
    if last == len(logs) - 1:
        return ABOVE
    low, high = math.log(sizes[last]), math.log(sizes[last + 1])
    share = -logs[last] / (logs[last + 1] - logs[last])
    return math.exp(low + share * (high - low))


def _interval(sizes: Sequence[float], ratios: Sequence[Ratio], seed: int) -> Interval | None:
    if any(ratio.error is None for ratio in ratios):
        return None
    rng = random.Random(seed)
    found = sorted(crossing(sizes, [_drawn(ratio, rng) for ratio in ratios]) for _ in range(DRAWS))
    outside = round(DRAWS * (1 - CONFIDENCE) / 2)
    return Interval(found[outside], found[-1 - outside])


def _drawn(ratio: Ratio, rng: random.Random) -> float:
    """Draw another mean of as many runs, which scatter as these did."""
    normal, freedom = rng.gauss(0, 1), ratio.degrees_of_freedom
    # A variance of so few runs is chi-squared over its degrees of freedom.
    scatter = 1.0 if math.isinf(freedom) else rng.gammavariate(freedom / 2, 2 / freedom)
    return ratio.log + ratio.error * normal / math.sqrt(scatter)
