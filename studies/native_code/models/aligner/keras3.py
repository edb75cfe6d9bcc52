"""The aligner in Keras 3 on JAX; its search is made of JAX operations."""

import jax
import keras
from keras import layers, ops
from millistep.measure.models.aligner import inputs
from millistep.measure.models.aligner.search_jax import search
from millistep.measure.models.native.arrays import check


def build(cell):
    return build_with(cell, search)


def build_with(cell, search):
    """Return the aligner for fit, the search alone for predict, with a checked search."""
    value = inputs.operand(cell, 2)
    check("search", jax.jit(search)(value), inputs.search(value))
    if cell.task == "predict":
        value = keras.Input((cell.architecture["frames"], cell.architecture["tokens"]))
        model = keras.Model(value, Search(search)(value))
        model.compile()
        return model
    model, encoders = _aligner(cell.architecture, search)
    weights = [weight for encoder in encoders for weight in encoder.weights]
    for variable, weight in zip(weights, inputs.initial_weights(cell), strict=True):
        variable.assign(weight)
    model.compile(optimizer=keras.optimizers.SGD())
    return model


def batch(cell, batch_size):
    if cell.task == "predict":
        return (inputs.operand(cell, batch_size),)
    return ({"text": inputs.text(cell, batch_size), "speech": inputs.speech(cell, batch_size)},)


def _aligner(a, search):
    text = keras.Input((a["tokens"],), dtype="int32", name="text")
    speech = keras.Input((a["frames"], a["mels"]), name="speech")

    def dense():
        return [layers.Dense(a["width"], activation="relu"), layers.Dense(a["channels"])]

    of_text = keras.Sequential([layers.Embedding(a["vocabulary"], a["width"]), *dense()])
    of_speech = keras.Sequential(dense())
    path = Alignment(search)(of_speech(speech), of_text(text))
    return keras.Model({"text": text, "speech": speech}, path), (of_text, of_speech)


class Search(layers.Layer):
    """The search as a layer: values of (batch, frames, tokens) to the token of each frame."""

    def __init__(self, search):
        super().__init__()
        self.search = search

    def call(self, value):
        return self.search(ops.stop_gradient(value))

    def compute_output_spec(self, value):
        # Keras would try a made-up batch size, which a C++ function may not accept.
        return keras.KerasTensor(value.shape[:-1], dtype="int32")


class Alignment(layers.Layer):
    """Find the best path between frames and tokens; their distance on it is the loss."""

    def __init__(self, search):
        super().__init__()
        self.search = Search(search)

    def call(self, z, mu):
        # -|z - mu|^2 / 2 of all frames and tokens, by a matrix product.
        squares = ops.sum(ops.square(z), 2)[:, :, None] + ops.sum(ops.square(mu), 2)[:, None]
        path = self.search(ops.matmul(z, ops.swapaxes(mu, 1, 2)) - 0.5 * squares)
        first = ops.arange(ops.shape(mu)[0])[:, None] * mu.shape[1]
        chosen = ops.take(ops.reshape(mu, (-1, mu.shape[2])), path + first, axis=0)
        self.add_loss(ops.mean(ops.square(z - chosen)))
        return path

    def compute_output_spec(self, z, mu):
        return keras.KerasTensor(z.shape[:-1], dtype="int32")
