"""Initial weights as Keras' layers have them by default: kernels by Glorot's rule, biases zero."""

from collections.abc import Iterable

import numpy as np


def glorot(rng: np.random.Generator, shapes: Iterable[tuple[int, ...]]) -> list[np.ndarray]:
    """Kernel and bias of each layer, float32; shapes: of the kernels, outputs last."""
    weights = []
    for shape in shapes:
        *window, before, after = shape
        reach = np.sqrt(6 / (np.prod(window) * (before + after)))
        weights.append(rng.uniform(-reach, reach, shape).astype(np.float32))
        weights.append(np.zeros(after, np.float32))
    return weights
