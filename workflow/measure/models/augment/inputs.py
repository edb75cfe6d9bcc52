"""Seeded pictures, and where each is cropped and whether it is flipped."""

import numpy as np

from measure.frameworks import Cell


def operand(cell: Cell, batch_size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Pictures, uint8 of (batch, side, side, channels); for each the corner of its crop in the
    padded picture, int64 of (batch, 2), and True if it is flipped, bool of (batch,); the padding.
    """
    a = cell.architecture
    rng = np.random.default_rng(cell.seed)
    shape = (batch_size, a["side"], a["side"], a["channels"])
    pictures = rng.integers(0, 256, shape, dtype=np.uint8)
    corners = rng.integers(0, 2 * a["padding"] + 1, (batch_size, 2))
    return pictures, corners, rng.random(batch_size) < 0.5, a["padding"]
