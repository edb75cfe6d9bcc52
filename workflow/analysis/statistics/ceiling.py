"""The most that a step can gain by losing a share of its time: Amdahl's law."""

import math


def gain_of(share: float) -> float:
    """How many times as fast a step becomes that loses this share; infinite if it is all."""
    return 1 / (1 - share) if share < 1 else math.inf
