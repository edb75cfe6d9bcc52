"""Monotonic alignment search outside a model: the argument of every way, and what it must give."""

from functools import partial

import numpy as np

from measure.frameworks import Cell
from measure.models.mas_host.inputs import operand
from measure.native import host_ways, reference
from measure.native.host_ways import outputs, written

__all__ = ["alone", "expected", "operand", "outputs", "written"]

alone = partial(host_ways.alone, operand)


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """The path that every way must find."""
    return {"output": reference.mas(*operand(cell, cell.batch_size))}
