"""Seeded scores, as an aligner has them: negative squared distances."""

import numpy as np

from measure.frameworks import Cell


def operand(cell: Cell, batch_size: int) -> tuple[np.ndarray]:
    """Random scores, float32 of (batch, frames, tokens)."""
    shape = (batch_size, cell.architecture["frames"], cell.architecture["tokens"])
    rng = np.random.default_rng(cell.seed)
    return (-np.square(rng.standard_normal(shape, dtype=np.float32)),)
