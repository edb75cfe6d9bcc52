"""Seeded random images and their classes; the weights that a training begins with."""

import numpy as np
from millistep.measure.models.classifier.glorot import glorot
from millistep.measure.models.classifier.work import shapes

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture


def images(cell: Cell, batch_size: int) -> np.ndarray:
    """Return random images, float32 of (batch, *inputs) in [0, 1), channels last."""
    shape = (batch_size, *cell.architecture["inputs"])
    return np.random.default_rng(cell.seed).random(shape, dtype=np.float32)


def classes(cell: Cell, batch_size: int) -> np.ndarray:
    """Return random classes, int32 of (batch,)."""
    rng = np.random.default_rng(cell.seed + 1)
    return rng.integers(0, cell.architecture["classes"], batch_size, dtype=np.int32)


def targets(classes: np.ndarray, a: Architecture) -> np.ndarray:
    """Return classes as the loss takes them: int32 of (batch,), or one-hot float32 of (batch,
    classes).
    """
    return np.eye(a["classes"], dtype=np.float32)[classes] if a["one_hot"] else classes


def initial_weights(cell: Cell) -> list[np.ndarray]:
    """Kernel and bias of each layer, as Keras draws and shapes them; the same everywhere."""
    return glorot(np.random.default_rng(cell.seed), shapes(cell.architecture))
