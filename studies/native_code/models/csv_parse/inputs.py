"""A seeded CSV file of numbers, and the numbers in it."""

from pathlib import Path

import numpy as np
from millistep.measure.models.native.compile import SCRATCH


def operand(cell, batch_size):
    """Return the path of a file with `batch_size` rows and no header."""
    path = Path(SCRATCH.name, "numbers.csv")
    decimals = cell.architecture["decimals"]
    np.savetxt(path, _numbers(cell, batch_size), delimiter=",", fmt=f"%.{decimals}f")
    return (str(path),)


def expected(cell):
    """Return the numbers that were written into the file, float64 of (rows, columns)."""
    return _numbers(cell, cell.batch_size)


def _numbers(cell, rows):
    a = cell.architecture
    rng = np.random.default_rng(cell.seed)
    return rng.standard_normal((rows, a["columns"])).round(a["decimals"])
