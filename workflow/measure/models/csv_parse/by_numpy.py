"""A file of numbers read by NumPy."""

import numpy as np

from measure.native.host_ways import Way


def parse(path: str) -> np.ndarray:
    """Read a file of numbers: float64 of (rows, columns)."""
    return np.loadtxt(path, delimiter=",", ndmin=2)


def way() -> Way:
    """The function as it is: nothing is built."""
    return Way(parse, (parse,), "numpy")
