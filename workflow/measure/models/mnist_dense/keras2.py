"""The dense model for MNIST in Keras 2."""

from typing import Any

import tensorflow as tf

from measure.frameworks import Cell
from measure.models.classifier import layers
from measure.models.classifier.layers import attention, batch, feed, start

__all__ = ["attention", "batch", "build", "feed", "start"]


def build(cell: Cell) -> Any:
    """A compiled ``Sequential``, trained by plain gradient descent."""
    return layers.build(tf.keras, cell, tf.keras.optimizers.SGD())
