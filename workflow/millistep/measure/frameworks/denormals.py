"""Finds by computing, not by reading flags, if numbers too small to be normal become zero."""

from collections.abc import Callable
from typing import Any

COUNT = 2**18  # elements: enough work for all threads of a pool to take part
TINY = 0x000AE398  # the bits of 1e-39 in float32, whose smallest normal number is 1.2e-38


def flushed(halve: Callable[[Any], Any]) -> bool:
    """Return True if the halves of denormal numbers all come back as zeros.

    halve: takes a float32 NumPy array, returns one with the halves, computed as a step is.
    Bits are written and looked at, since converting or comparing numbers may flush as well.
    """
    import numpy as np

    tiny = np.full(COUNT, TINY, np.uint32).view(np.float32)
    return not np.asarray(halve(tiny)).view(np.uint32).any()
