"""Crop and flip with NumPy: all pictures by one look-up."""

import numpy as np

from measure.native.host_ways import Way


def augmented(
    pictures: np.ndarray, corners: np.ndarray, flips: np.ndarray, padding: int
) -> np.ndarray:
    """Pictures with black around them, cropped to their size, some flipped from left to right."""
    around = (padding, padding)
    padded = np.pad(pictures, ((0, 0), around, around, (0, 0)))
    steps = np.arange(pictures.shape[1])
    rows = corners[:, :1] + steps
    columns = corners[:, 1:] + np.where(flips[:, None], steps[::-1], steps)
    items = np.arange(len(pictures))[:, None, None]
    return padded[items, rows[:, :, None], columns[:, None, :]]


def way() -> Way:
    """The function as it is: nothing is built."""
    return Way(augmented, (augmented,), "numpy")
