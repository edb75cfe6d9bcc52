"""Seeded random inputs and targets; initial weights, the same in every framework."""

import numpy as np

from measure.frameworks import Cell
from measure.models.activation_net.work import shapes
from measure.models.glorot import glorot
from measure.native import reference


def inputs(cell: Cell, batch_size: int) -> np.ndarray:
    """Random inputs, float32 of (batch, inputs)."""
    return _normal(cell.seed, batch_size, cell.architecture["inputs"])


def targets(cell: Cell, batch_size: int) -> np.ndarray:
    """Random targets, float32 of (batch, outputs)."""
    return _normal(cell.seed + 1, batch_size, cell.architecture["outputs"])


def operand(cell: Cell, batch_size: int | None = None) -> np.ndarray:
    """Operand of the activation after the first layer: float32 of (batch, width)."""
    return _normal(cell.seed + 2, batch_size or cell.batch_size, cell.architecture["hidden"][0])


def parameters(cell: Cell) -> tuple[float, ...]:
    """Numbers that the activation takes besides its operand."""
    return tuple(cell.architecture["constants"])


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """Output of the activation that every way must give for its operand, and its gradient for a
    loss whose gradient by each output is one.
    """
    x, numbers, name = operand(cell), parameters(cell), cell.architecture["activation"]
    gradient = getattr(reference, f"{name}_gradient")
    return {
        "output": getattr(reference, name)(x, *numbers),
        "gradient": gradient(x, np.ones_like(x), *numbers),
    }


def initial_weights(cell: Cell) -> list[np.ndarray]:
    """Kernel, (inputs, outputs), and bias of each layer."""
    return glorot(np.random.default_rng(cell.seed + 3), shapes(cell.architecture))


def _normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
