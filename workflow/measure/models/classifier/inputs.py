"""Seeded random images and their classes."""

import numpy as np

from measure.frameworks import Cell


def images(cell: Cell, batch_size: int) -> np.ndarray:
    """float32 of (batch, *inputs) in [0, 1), channels last."""
    shape = (batch_size, *cell.architecture["inputs"])
    return np.random.default_rng(cell.seed).random(shape, dtype=np.float32)


def targets(cell: Cell, batch_size: int) -> np.ndarray:
    """As the loss takes them: int32 of (batch,), or one-hot float32 of (batch, classes)."""
    classes = cell.architecture["classes"]
    labels = np.random.default_rng(cell.seed + 1).integers(0, classes, batch_size, dtype=np.int32)
    return np.eye(classes, dtype=np.float32)[labels] if cell.architecture["one_hot"] else labels
