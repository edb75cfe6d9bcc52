"""Inputs and weights of the model, and what Snake must give."""

import numpy as np

from measure.frameworks import Cell
from measure.models.activation_net import inputs as of_any
from measure.models.activation_net.inputs import initial_weights, inputs, operand, targets

__all__ = ["OPERATION", "expected", "initial_weights", "inputs", "operand", "targets"]

OPERATION = "snake"


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """Output and gradient of the activation that every way must give for its operand."""
    return of_any.expected(OPERATION, cell)
