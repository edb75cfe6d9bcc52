"""A network whose step is mostly Keras' own Python code."""

import keras
import numpy as np


def build(cell):
    a = cell.architecture
    layers = [
        keras.Input((a["inputs"],)),
        keras.layers.Dense(a["width"], activation="relu"),
        keras.layers.Dense(a["classes"]),
    ]
    model = keras.Sequential(layers)
    model.compile(
        optimizer="sgd",
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        steps_per_execution=a["batches_per_call"],
    )
    return model


def batch(cell, batch_size):
    rng, a = np.random.default_rng(cell.seed), cell.architecture
    x = rng.random((batch_size, a["inputs"]), dtype=np.float32)
    labels = rng.integers(0, a["classes"], batch_size)
    return (x, labels) if cell.task == "fit" else (x,)
