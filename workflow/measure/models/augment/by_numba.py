"""Crop and flip with Numba: plain loops, compiled at the first call."""

import numba
import numpy as np

from measure.native.host_ways import Way


@numba.njit
def augmented(
    pictures: np.ndarray, corners: np.ndarray, flips: np.ndarray, padding: int
) -> np.ndarray:
    """Pictures with black around them, cropped to their size, some flipped from left to right."""
    found = np.zeros_like(pictures)
    batch, side, _, channels = pictures.shape
    for item in range(batch):
        for row in range(side):
            source_row = row + corners[item, 0] - padding
            if not 0 <= source_row < side:
                continue
            for column in range(side):
                source = (side - 1 - column if flips[item] else column) + corners[item, 1] - padding
                if 0 <= source < side:
                    for channel in range(channels):
                        found[item, row, column, channel] = pictures[
                            item, source_row, source, channel
                        ]
    return found


def way() -> Way:
    """The function that Numba compiles at the first call."""
    return Way(augmented, (augmented.py_func,), "numba", programs=lambda: len(augmented.signatures))
