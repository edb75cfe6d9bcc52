"""The most that a step can gain by losing a share of its time: Amdahl's law."""

import math

from analysis.statistics.intervals import Interval


def gain_of(share: float) -> float:
    """How many times as fast a step becomes that loses this share; infinite if it is all."""
    return 1 / (1 - share) if share < 1 else math.inf


def gain_interval(share: Interval | None) -> Interval | None:
    """The gains at the ends of an interval of shares; an end below nothing counts as nothing."""
    return share and Interval(gain_of(max(share.low, 0.0)), gain_of(max(share.high, 0.0)))
