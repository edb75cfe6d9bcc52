"""The number of steps after which what starts later and is faster is ahead for good."""

import numpy as np
from numpy.typing import ArrayLike


def steps_to_overtake(late_s: ArrayLike, step_s: ArrayLike, ratio: ArrayLike) -> np.ndarray:
    """The first step after which the faster one is ahead.

    Its steps take `step_s` and begin `late_s` later; each gains (ratio - 1) of its own time. The
    three broadcast. 1 where it is never behind, NaN where it gains nothing or something is NaN.
    """
    gained_s = np.asarray(step_s, float) * (np.asarray(ratio, float) - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.maximum(1.0, np.floor(np.asarray(late_s, float) / gained_s) + 1)
    return np.where(gained_s > 0, steps, np.nan)
