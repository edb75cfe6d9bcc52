"""The network in Keras 3 on JAX; its activation is made of JAX operations."""

import jax
import keras
from millistep.measure.models.native.arrays import check
from millistep.measure.models.snake_net import inputs
from millistep.measure.models.snake_net.snake_jax import snake


def build(cell):
    return build_with(cell, snake)


def build_with(cell, snake):
    """Return the network for fit, the activation alone for predict, with a checked activation."""
    a, operand = cell.architecture, inputs.operand(cell, 2)

    def activation(x):
        return snake(x, a["a"])

    output, gradient = inputs.snake(operand, a["a"])
    check("output", jax.jit(activation)(operand), output)
    check("gradient", jax.jit(jax.grad(lambda x: activation(x).sum()))(operand), gradient)
    if cell.task == "predict":
        x = keras.Input((a["hidden"][0],))
        model = keras.Model(x, keras.layers.Activation(activation)(x))
        model.compile()
        return model
    dense = [keras.layers.Dense(width, activation=activation) for width in a["hidden"]]
    layers = [keras.Input((a["inputs"],)), *dense, keras.layers.Dense(a["outputs"])]
    model = keras.Sequential(layers)
    model.compile(optimizer=keras.optimizers.SGD(), loss="mean_squared_error")
    model.set_weights(inputs.initial_weights(cell))
    return model


def batch(cell, batch_size):
    if cell.task == "predict":
        return (inputs.operand(cell, batch_size),)
    return inputs.vectors(cell, batch_size), inputs.targets(cell, batch_size)
