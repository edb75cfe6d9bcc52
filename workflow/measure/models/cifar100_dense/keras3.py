"""The dense model for CIFAR-100 in Keras 3."""

from typing import Any

import keras

from measure.frameworks import Cell
from measure.models.classifier import layers
from measure.models.classifier.layers import attention, batch, feed, start

__all__ = ["attention", "batch", "build", "feed", "start"]


def build(cell: Cell) -> Any:
    """A compiled ``Sequential``, trained by Adam."""
    return layers.build(keras, cell, keras.optimizers.Adam())
