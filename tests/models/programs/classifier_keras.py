"""Tasks on a small classifier in Keras' layers."""

import numpy as np
from column import predict


def outputs(cell, folder):
    """Write the probabilities into the folder, from the weights there."""
    names = np.load(folder / "weights.npz").files  # layer by layer, the kernel before the bias

    def counterparts(model):
        kernels = [layer for layer in model.layers if layer.weights]
        variables = [v for layer in kernels for v in (layer.kernel, layer.bias)]
        return list(zip(variables, names, strict=True))

    predict(cell, folder, counterparts, as_keras)


def as_keras(weight, name):
    """A weight as Keras has it: inputs before outputs, the sides of a filter before both."""
    return weight.transpose(2, 3, 1, 0) if weight.ndim == 4 else weight.T
