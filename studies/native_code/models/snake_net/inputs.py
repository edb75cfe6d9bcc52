"""Seeded inputs, initial weights, and the activation in NumPy as the reference."""

from itertools import pairwise

import numpy as np
from millistep.measure.models.native.arrays import glorot


def vectors(cell, batch_size):
    """Return random inputs, float32 of (batch, inputs)."""
    return _normal(cell.seed, batch_size, cell.architecture["inputs"])


def targets(cell, batch_size):
    """Return random targets, float32 of (batch, outputs)."""
    return _normal(cell.seed + 1, batch_size, cell.architecture["outputs"])


def operand(cell, batch_size):
    """Return the operand of one activation, float32 of (batch, width)."""
    return _normal(cell.seed + 2, batch_size, cell.architecture["hidden"][0])


def shapes(a):
    """Return (inputs, outputs) of each layer."""
    return list(pairwise([a["inputs"], *a["hidden"], a["outputs"]]))


def initial_weights(cell):
    """Return kernel and bias of each layer."""
    return glorot(np.random.default_rng(cell.seed + 3), shapes(cell.architecture))


def snake(x, a):
    """Return x + sin(a x)^2 / a and its derivative, in float64."""
    x = x.astype(np.float64)
    return x + np.sin(a * x) ** 2 / a, 1 + np.sin(2 * a * x)


def _normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
