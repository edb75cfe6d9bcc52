"""Monotonic alignment search with NumPy: all items and tokens at once, frame by frame."""

import numpy as np

from measure.native.host_ways import Way


def mas(value: np.ndarray) -> np.ndarray:
    """The token of each frame, int32 (batch, frames); value: float32 of (batch, frames, tokens)."""
    batch, frames, tokens = value.shape
    # A column before the first token, from which nothing advances.
    best = np.full((frames, batch, tokens + 1), -np.inf, np.float32)
    best[0, :, 1] = value[:, 0, 0]
    for frame in range(1, frames):
        before = best[frame - 1]
        np.maximum(before[:, 1:], before[:, :-1], out=best[frame, :, 1:])
        best[frame, :, 1:] += value[:, frame]
    items = np.arange(batch)
    path = np.full((batch, frames), tokens - 1, np.int32)
    for frame in range(frames - 1, 0, -1):
        token = path[:, frame] + 1
        before = best[frame - 1]
        path[:, frame - 1] = path[:, frame] - (before[items, token - 1] > before[items, token])
    return path


def way() -> Way:
    """The function as it is: nothing is built."""
    return Way(mas, (mas,), "numpy")
