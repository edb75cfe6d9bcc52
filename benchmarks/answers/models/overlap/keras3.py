"""A segmentation of small images that computes the overlap of the classes in each step."""

import keras
import numpy as np


def build(cell):
    a = cell.architecture
    layers = [
        keras.Input((a["side"], a["side"], 3)),
        keras.layers.Conv2D(a["channels"], 3, padding="same", activation="relu"),
        keras.layers.Dense(a["classes"]),
    ]
    model = keras.Sequential(layers)
    model.compile(
        optimizer="sgd",
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.MeanIoU(a["classes"], sparse_y_pred=False)],
    )
    return model


def batch(cell, batch_size):
    rng, a = np.random.default_rng(cell.seed), cell.architecture
    x = rng.random((batch_size, a["side"], a["side"], 3), dtype=np.float32)
    return x, rng.integers(0, a["classes"], (batch_size, a["side"], a["side"]))
