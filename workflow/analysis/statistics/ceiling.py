"""What a step gains at most that loses a share of its time: Amdahl's law."""

import math

from analysis.statistics.intervals import Interval


def gain_of(share: float) -> float:
    """How many times as fast a step becomes that loses this share; without limit where it is all of
    it.
    """
    return 1 / (1 - share) if share < 1 else math.inf


def gain_interval(share: Interval | None) -> Interval | None:
    """The same at the ends of an interval of shares, none of which is below nothing."""
    return share and Interval(gain_of(max(share.low, 0.0)), gain_of(max(share.high, 0.0)))
