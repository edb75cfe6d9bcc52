"""What the programs in the environment of a Keras column share: its framework, and its answers."""

import numpy as np
from program import cell

from measure import frameworks

framework = frameworks.create(cell)
framework.load()
models = framework.models


def predict(folder, counterparts, as_keras):
    """Give the built model the weights in the folder, and save there what it answers to its inputs.

    counterparts: from the model to all its variables, each with the native library's name of it.
    as_keras: from a weight there and its name to what Keras has, but for the shape.
    """
    framework.build()
    weights = np.load(folder / "weights.npz")
    given = counterparts(framework.model)
    assert {name for _, name in given} == set(weights), "not every weight has its counterpart"
    assert len(given) == len(framework.model.weights)
    for variable, name in given:
        variable.assign(as_keras(weights[name], name).reshape(variable.shape))
    inputs = models.batch(cell, cell.batch_size)[0]
    np.save(folder / f"{cell.framework}.npy", framework.model.predict(inputs, verbose=0))
