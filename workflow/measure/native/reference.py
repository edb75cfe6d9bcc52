"""The operations in plain NumPy: the results that every way must give."""

import numpy as np

Array = np.ndarray


def mas(value: Array) -> Array:
    """The token of each frame, int32 of (batch, frames), on the path of the largest sum.

    value: float32 of (batch, frames, tokens), frames >= tokens. A path begins at the first token,
    ends at the last one, and with each frame stays or advances by one; of equal sums the one that
    stayed.
    """
    batch, frames, tokens = value.shape
    best = np.full(value.shape, -np.inf, np.float32)
    best[:, 0, 0] = value[:, 0, 0]
    for frame in range(1, frames):
        before = best[:, frame - 1]
        advance = np.pad(before[:, :-1], ((0, 0), (1, 0)), constant_values=-np.inf)
        best[:, frame] = np.maximum(before, advance) + value[:, frame]
    path = np.zeros((batch, frames), np.int32)
    items, token = np.arange(batch), np.full(batch, tokens - 1)
    for frame in range(frames - 1, 0, -1):
        path[:, frame] = token
        before = best[:, frame - 1]
        advanced = before[items, np.maximum(token - 1, 0)] > before[items, token]
        token = token - (advanced & (token > 0))
    return path


def telu(x: Array) -> Array:
    """x tanh(exp x), in float64."""
    x = x.astype(np.float64)
    return x * np.tanh(np.exp(x))


def telu_gradient(x: Array, dy: Array) -> Array:
    """Gradient of the loss by x, given its gradient dy by the output."""
    x = x.astype(np.float64)
    e = np.exp(x)
    # 1 / cosh^2 is 1 - tanh^2, without subtracting two numbers near 1.
    return dy * (np.tanh(e) + x * e / np.cosh(np.minimum(e, 300)) ** 2)


def snake(x: Array, a: float) -> Array:
    """x + sin(a x)^2 / a, in float64."""
    x = x.astype(np.float64)
    return x + np.sin(a * x) ** 2 / a


def snake_gradient(x: Array, dy: Array, a: float) -> Array:
    """Gradient of the loss by x, given its gradient dy by the output."""
    return dy * (1 + np.sin(2 * a * x.astype(np.float64)))
