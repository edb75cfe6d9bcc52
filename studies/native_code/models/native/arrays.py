"""Check an implementation against the NumPy reference; initial weights of all frameworks."""

import numpy as np


class WrongResult(RuntimeError):
    """An implementation computes something else, so its time means nothing."""


def check(name: str, found, expected: np.ndarray, within: float = 1e-5) -> None:
    """Raise :class:`WrongResult` if an array differs from the reference.

    within: largest allowed difference, relative to the largest number; integers must be equal.
    """
    found = np.asarray(found)
    if found.shape != expected.shape:
        raise WrongResult(f"{name} has shape {found.shape}, expected {expected.shape}")
    allowed = 0.0 if expected.dtype.kind in "iu" else within * float(np.abs(expected).max())
    largest = float(np.abs(found.astype(np.float64) - expected).max())
    if not largest <= allowed:  # NaN fails, too
        raise WrongResult(f"{name} differs by {largest:.3g}, allowed is {allowed:.3g}")


def glorot(rng: np.random.Generator, shapes: list[tuple[int, int]]) -> list[np.ndarray]:
    """Return kernel (inputs, outputs) and bias of each dense layer."""
    weights = []
    for shape in shapes:
        limit = (6 / sum(shape)) ** 0.5
        weights += [rng.uniform(-limit, limit, shape), np.zeros(shape[1])]
    return [weight.astype(np.float32) for weight in weights]
