"""Crop and flip: the arguments of every way, and what it must give."""

from functools import partial

import numpy as np

from measure.frameworks import Cell
from measure.models.augment.inputs import operand
from measure.native import host_ways
from measure.native.host_ways import outputs, written

__all__ = ["alone", "expected", "operand", "outputs", "written"]

alone = partial(host_ways.alone, operand)


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """The expected pictures, by NumPy, one by one."""
    pictures, corners, flips, padding = operand(cell, cell.batch_size)
    around = (padding, padding)
    padded = np.pad(pictures, ((0, 0), around, around, (0, 0)))
    side = pictures.shape[1]
    found = np.empty_like(pictures)
    for item, (top, left) in enumerate(corners):
        cropped = padded[item, top : top + side, left : left + side]
        found[item] = cropped[:, ::-1] if flips[item] else cropped
    return {"output": found}
