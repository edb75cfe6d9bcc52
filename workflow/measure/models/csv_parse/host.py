"""Numbers in a file: the argument of every way, and what it must give."""

from functools import partial

import numpy as np

from measure.frameworks import Cell
from measure.models.csv_parse.inputs import numbers, operand
from measure.native import host_ways
from measure.native.host_ways import written

__all__ = ["alone", "expected", "operand", "outputs", "written"]

alone = partial(host_ways.alone, operand)


def outputs(cell: Cell, results: np.ndarray) -> dict[str, np.ndarray]:
    """The numbers read, in units of the last decimal: whole numbers, which must be equal."""
    return {"output": _units(cell, results)}


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """The numbers that were written into the file, in the same units."""
    return {"output": _units(cell, numbers(cell, cell.batch_size))}


def _units(cell: Cell, found: np.ndarray) -> np.ndarray:
    units: np.ndarray = (found * 10 ** cell.architecture["decimals"]).round().astype(np.int64)
    return units
