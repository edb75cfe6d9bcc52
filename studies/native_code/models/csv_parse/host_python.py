"""CSV parsing in Python."""

import numpy as np


def parse(path):
    """Return the numbers of a file, float64 of (rows, columns)."""
    with open(path, encoding="ascii") as lines:
        return np.array([list(map(float, line.split(","))) for line in lines])


def operation():
    return parse
