"""Seeded random text, mel frames and values; initial weights, the same in every framework."""

import numpy as np

from measure.frameworks import Cell
from measure.models.glorot import glorot
from measure.native import reference

OPERATION = "mas"


def text(cell: Cell, batch_size: int) -> np.ndarray:
    """Random token ids, int32 of (batch, tokens)."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed)
    return rng.integers(0, a["vocabulary"], (batch_size, a["tokens"]), dtype=np.int32)


def speech(cell: Cell, batch_size: int) -> np.ndarray:
    """Random mel frames, float32 of (batch, frames, mels)."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed + 1)
    shape = (batch_size, a["frames"], a["mels"])
    return rng.standard_normal(shape, dtype=np.float32)


def operand(cell: Cell, batch_size: int | None = None) -> np.ndarray:
    """Operand of the operation alone: float32 of (batch, frames, tokens)."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed + 2)
    shape = (batch_size or cell.batch_size, a["frames"], a["tokens"])
    return rng.standard_normal(shape, dtype=np.float32)


def expected(cell: Cell) -> dict[str, np.ndarray]:
    """The output that every way of the operation must give for its operand."""
    return {"output": reference.mas(operand(cell))}


def initial_weights(cell: Cell) -> list[np.ndarray]:
    """The embedding, then kernel and bias of each dense layer, (inputs, outputs): two of the text,
    two of the speech.
    """
    a, rng = cell.architecture, np.random.default_rng(cell.seed + 3)
    weights = [rng.uniform(-0.05, 0.05, (a["vocabulary"], a["width"])).astype(np.float32)]
    for before in (a["width"], a["mels"]):
        weights += glorot(rng, [(before, a["width"]), (a["width"], a["channels"])])
    return weights
