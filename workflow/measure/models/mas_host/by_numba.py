"""Monotonic alignment search with Numba: the loops of the C code, compiled at the first call."""

import numba
import numpy as np

from measure.native.host_ways import Way


@numba.njit
def mas(value: np.ndarray) -> np.ndarray:
    """The token of each frame, int32 (batch, frames); value: float32 of (batch, frames, tokens)."""
    batch, frames, tokens = value.shape
    path = np.empty((batch, frames), np.int32)
    best = np.empty((frames, tokens), np.float32)
    for item in range(batch):
        for frame in range(frames):
            for token in range(tokens):
                stay = best[frame - 1, token] if frame else np.float32(-np.inf)
                advance = best[frame - 1, token - 1] if frame and token else np.float32(-np.inf)
                least = max(stay, advance) if frame or token else np.float32(0)
                best[frame, token] = value[item, frame, token] + least
        token = tokens - 1
        for frame in range(frames - 1, -1, -1):
            path[item, frame] = token
            if frame and token and best[frame - 1, token - 1] > best[frame - 1, token]:
                token -= 1
    return path


def way() -> Way:
    """The function that Numba compiles at the first call."""
    return Way(mas, (mas.py_func,), "numba", programs=lambda: len(mas.signatures))
