"""Inputs and weights of the net, and what TeLU must give."""

import numpy as np

from measure.frameworks import Cell
from measure.models.activation_net import inputs as of_any
from measure.models.activation_net.inputs import initial_weights, inputs, operand, targets

__all__ = ["OPERATION", "expected", "initial_weights", "inputs", "operand", "targets"]

OPERATION = "telu"


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """What the activation must give of its operand in every way."""
    return of_any.expected(OPERATION, cell)
