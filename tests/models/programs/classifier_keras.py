"""Run in the environment of a Keras column: a small classifier in Keras' layers.

    python classifier_keras.py WORKFLOW CELL outputs EXCHANGE

outputs: probabilities into the folder EXCHANGE, from the weights there.
"""

import numpy as np
from column import predict
from program import command, exchange


def outputs(folder):
    names = np.load(folder / "weights.npz").files  # layer by layer, the kernel before the bias

    def counterparts(model):
        kernels = [layer for layer in model.layers if layer.weights]
        variables = [v for layer in kernels for v in (layer.kernel, layer.bias)]
        return list(zip(variables, names, strict=True))

    predict(folder, counterparts, as_keras)


def as_keras(weight, name):
    """Inputs before outputs here, and the sides of a filter before both."""
    return weight.transpose(2, 3, 1, 0) if weight.ndim == 4 else weight.T


{"outputs": outputs}[command](*exchange)
