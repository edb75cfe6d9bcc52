"""CSV parsing with NumPy."""

import numpy as np

PACKAGES = ("numpy",)


def parse(path):
    """Return the numbers of a file, float64 of (rows, columns)."""
    return np.loadtxt(path, delimiter=",", ndmin=2)


def operation():
    return parse
