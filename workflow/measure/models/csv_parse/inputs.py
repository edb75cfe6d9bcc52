"""A seeded file of numbers, as a measuring device leaves them."""

from pathlib import Path

import numpy as np

from measure.frameworks import Cell
from measure.native import build


def numbers(cell: Cell, batch_size: int) -> np.ndarray:
    """float64 of (rows, columns) with a fixed number of decimals."""
    a = cell.architecture
    rng = np.random.default_rng(cell.seed)
    return rng.standard_normal((batch_size, a["columns"])).round(a["decimals"])


def operand(cell: Cell, batch_size: int) -> tuple[str]:
    """The path of a file with a row of numbers in each line, without a header."""
    a = cell.architecture
    name = f"numbers-{batch_size}x{a['columns']}-{a['decimals']}-{cell.seed}.csv"
    path = Path(build.scratch().name, name)
    if not path.exists():
        found = numbers(cell, batch_size)
        np.savetxt(path, found, delimiter=",", fmt=f"%.{a['decimals']}f")
    return (str(path),)
