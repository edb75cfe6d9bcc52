"""The models in Keras 3, on any backend: dense layers take any function as their activation."""

from collections.abc import Callable
from functools import partial
from typing import Any

import keras

from measure.frameworks import Cell
from measure.models.activation_net import inputs
from measure.native import keras_steps, keras_ways

expected, outputs = inputs.expected, keras_steps.outputs


def build(cell: Cell) -> Any:
    """A compiled ``Sequential``, with the weights that every framework begins with."""
    a = cell.architecture
    # Zeros, until they are set: JAX compiles a program for random ones of each shape.
    dense = partial(keras.layers.Dense, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input((a["inputs"],))])
    for width in a["hidden"]:
        model.add(dense(width, activation=activation(cell)))
    model.add(dense(a["outputs"]))
    options = keras_steps.options(cell)
    model.compile(optimizer=keras.optimizers.SGD(), loss="mean_squared_error", **options)
    model.set_weights(inputs.initial_weights(cell))
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """Inputs and targets as NumPy arrays."""
    return inputs.inputs(cell, batch_size), inputs.targets(cell, batch_size)


losses = partial(keras_steps.losses, build, batch)


def activation(cell: Cell) -> Callable[[Any], Any]:
    """The activation in the cell's way, with its constants."""
    function = keras_ways.operation(cell.architecture["activation"], cell.way)
    numbers = inputs.parameters(cell)
    return lambda x: function(x, *numbers)


def alone(cell: Cell) -> tuple[Callable[[], Any], int]:
    """A function that computes one activation, forward and backward; how many a step has."""
    operand, uses = inputs.operand(cell), len(cell.architecture["hidden"])
    return keras_steps.repeated(cell, activation(cell), operand, backward=True), uses


def written(cell: Cell) -> tuple[Any, ...]:
    """The functions that a user writes for the cell's way."""
    return keras_ways.written(cell.architecture["activation"], cell.way)
