"""Seeded random tokens: full-length sequences, no padding, every token id in use."""

import numpy as np

from millistep.measure.frameworks import Cell


def tokens(cell: Cell, batch_size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``(token ids, segment ids, mask)``, each int32 of (batch, length)."""
    shape = (batch_size, cell.architecture["sequence_length"])
    ids = np.random.default_rng(cell.seed).integers(
        0, cell.architecture["vocabulary_size"], shape, dtype=np.int32
    )
    return ids, np.zeros(shape, np.int32), np.ones(shape, np.int32)


def labels(cell: Cell, batch_size: int) -> np.ndarray:
    """Return random classes, int32 of (batch,), generated separately from the tokens."""
    rng = np.random.default_rng(cell.seed + 1)
    return rng.integers(0, cell.architecture["classes"], batch_size, dtype=np.int32)
