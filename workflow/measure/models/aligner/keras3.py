"""The aligner in Keras 3, on any backend; for predict the search alone."""

from collections.abc import Callable
from functools import partial
from typing import Any

import keras
from keras import layers, ops

from measure.frameworks import Cell
from measure.models.aligner import inputs
from measure.native import keras_steps, keras_ways

expected, outputs = inputs.expected, keras_steps.outputs


def build(cell: Cell) -> Any:
    """A compiled model: the aligner with its loss for fit, the search alone for predict."""
    if cell.task == "predict":
        value = keras.Input((cell.architecture["frames"], cell.architecture["tokens"]))
        model = keras.Model(value, Search(search(cell))(value))
        model.compile(**keras_steps.options(cell))
        return model
    model = aligner(cell)
    model.compile(optimizer=keras.optimizers.SGD(), **keras_steps.options(cell))
    return model


def aligner(cell: Cell) -> Any:
    """The model from text and speech to the path, with every framework's initial weights."""
    a = cell.architecture
    named = {
        "text": keras.Input((a["tokens"],), dtype="int32", name="text"),
        "speech": keras.Input((a["frames"], a["mels"]), name="speech"),
    }
    # Zeros, until they are set: JAX compiles a program for random ones of each shape.
    embedding = partial(layers.Embedding, embeddings_initializer="zeros")
    dense = partial(layers.Dense, kernel_initializer="zeros")
    of_text = keras.Sequential(
        [
            embedding(a["vocabulary"], a["width"]),
            dense(a["width"], activation="relu"),
            dense(a["channels"]),
        ]
    )
    of_speech = keras.Sequential([dense(a["width"], activation="relu"), dense(a["channels"])])
    mu, z = of_text(named["text"]), of_speech(named["speech"])
    model = keras.Model(named, Alignment(search(cell))(z, mu))
    variables = [*of_text.weights, *of_speech.weights]
    for variable, value in zip(variables, inputs.initial_weights(cell), strict=True):
        variable.assign(value)
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """``(inputs,)`` as NumPy arrays: the loss is the model's own, and needs no targets."""
    if cell.task == "predict":
        return (inputs.operand(cell, batch_size),)
    return ({"text": inputs.text(cell, batch_size), "speech": inputs.speech(cell, batch_size)},)


losses = partial(keras_steps.losses, build, batch)


def search(cell: Cell) -> Callable[[Any], Any]:
    """The operation in the cell's way."""
    found = keras_ways.operation(inputs.OPERATION, cell.way)
    if cell.way == "framework" and keras.backend.backend() == "torch":
        from measure.native import torch_ways

        return torch_ways.not_unrolled(found)
    return found


def alone(cell: Cell) -> tuple[Callable[[], Any], int]:
    """A function that searches values as a step has them; a step does so once."""
    return keras_steps.repeated(cell, search(cell), inputs.operand(cell), backward=False), 1


def written(cell: Cell) -> tuple[Any, ...]:
    """The functions that a user writes for the cell's way."""
    return keras_ways.written(inputs.OPERATION, cell.way)


class Search(layers.Layer):
    """The operation as a layer: values of (batch, frames, tokens) to the token of each frame."""

    def __init__(self, search: Callable[[Any], Any], **options: Any) -> None:
        super().__init__(**options)
        self.search = search

    def call(self, value: Any) -> Any:
        return self.search(ops.stop_gradient(value))

    def compute_output_spec(self, value: Any) -> Any:
        # Told here: Keras would try a made-up batch, which an extension may not take.
        return keras.KerasTensor(value.shape[:-1], dtype="int32")


class Alignment(layers.Layer):
    """Finds the best path between frames and tokens in one space; how far they are apart on it is
    the loss.
    """

    def __init__(self, search: Callable[[Any], Any], **options: Any) -> None:
        super().__init__(**options)
        self.search = Search(search)

    def call(self, z: Any, mu: Any) -> Any:
        # -|z - mu|^2 / 2 of all frames and tokens, by a matrix product.
        squares = ops.sum(ops.square(z), 2)[:, :, None] + ops.sum(ops.square(mu), 2)[:, None]
        path = self.search(ops.matmul(z, ops.swapaxes(mu, 1, 2)) - 0.5 * squares)
        # Rows of all items in one table: along an axis, TensorFlow would look up number by number.
        first = ops.arange(ops.shape(mu)[0])[:, None] * mu.shape[1]
        chosen = ops.take(ops.reshape(mu, (-1, mu.shape[2])), path + first, axis=0)
        self.add_loss(ops.mean(ops.square(z - chosen)))
        return path

    def compute_output_spec(self, z: Any, mu: Any) -> Any:
        return keras.KerasTensor(z.shape[:-1], dtype="int32")
