"""The classifiers in Keras' own layers, the same for Keras 2 and Keras 3."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from millistep.measure.models.classifier.inputs import classes, images, initial_weights, targets

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, xla


def build(keras: Any, cell: Cell) -> Any:
    """Return a compiled ``Sequential`` that ends in a softmax; optimizer and cross-entropy for
    fit.
    """
    a = cell.architecture
    model = keras.Sequential([keras.Input(tuple(a["inputs"])), *_layers(keras.layers, a)])
    loss = f"{'' if a['one_hot'] else 'sparse_'}categorical_crossentropy"
    trained = {"optimizer": a["optimizer"], "loss": loss} if cell.task == "fit" else {}
    model.compile(**xla.options(cell, keras), **trained)
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """Return ``(images,)`` or ``(images, targets)`` as NumPy arrays."""
    labels = classes(cell, batch_size) if cell.task == "fit" else None
    return feed(cell, images(cell, batch_size), labels)


def feed(cell: Cell, pixels: np.ndarray, labels: np.ndarray | None) -> Any:
    """Return images and classes as the trainer takes them; without classes for predict."""
    return (pixels,) if labels is None else (pixels, targets(labels, cell.architecture))


def start(model: Any, cell: Cell) -> None:
    """Give a model the weights that its training begins with."""
    model.set_weights(initial_weights(cell))


def _layers(layers: Any, a: Architecture) -> Iterator[Any]:
    for filters, kernel in a["filters"]:
        yield layers.Conv2D(filters, kernel, activation="relu")
        yield layers.MaxPooling2D()
    if a["filters"]:
        yield layers.Flatten()
    for width in a["hidden"]:
        yield layers.Dense(width, activation="relu")
    if a["dropout"]:
        yield layers.Dropout(a["dropout"])
    yield layers.Dense(a["classes"], activation="softmax")
