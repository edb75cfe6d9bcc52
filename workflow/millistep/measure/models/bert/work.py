"""Inputs and work of a step, from the architecture alone: the same for every framework."""

from typing import Any

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture


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


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    Matrix products of the layers, attention scores and values, pooler and head;
    a training step costs three forward passes (Kaplan et al. 2020, appendix B).
    Norms, softmax, activations and the optimizer are left out.
    """
    a = architecture
    d, ff, length = a["hidden_size"], a["intermediate_size"], a["sequence_length"]
    layer = length * 2 * (4 * d * d + 2 * d * ff) + 4 * length * length * d
    forward = batch_size * (a["layers"] * layer + 2 * d * d + 2 * d * a["classes"])
    flops, tokens = forward * (3 if task == "fit" else 1), batch_size * length
    return {"flops_per_step": flops, "tokens_per_step": tokens, "images_per_step": None}
