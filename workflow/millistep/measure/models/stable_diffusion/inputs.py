"""Seeded random images, latents and text embeddings, channels last."""

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models.stable_diffusion.work import LATENT_CHANNELS


def images(cell: Cell, batch_size: int) -> np.ndarray:
    """Return random images, float32 of (batch, size, size, 3) in [0, 1)."""
    size = cell.architecture["image_size"]
    return _rng(cell, 0).random((batch_size, size, size, 3), dtype=np.float32)


def moments(cell: Cell, batch_size: int) -> np.ndarray:
    """Return targets of the image encoder, mean and log variance: float32 of (batch, side, side,
    8).
    """
    a = cell.architecture
    side = a["image_size"] // 2 ** (len(a["vae_widths"]) - 1)
    shape = (batch_size, side, side, 2 * LATENT_CHANNELS)
    return _rng(cell, 1).random(shape, dtype=np.float32)


def noise(cell: Cell, batch_size: int) -> np.ndarray:
    """Return latents that the sampler starts from: float32 of (batch, size / 8, size / 8, 4)."""
    side = cell.architecture["image_size"] // 8
    shape = (batch_size, side, side, LATENT_CHANNELS)
    return _rng(cell, 2).standard_normal(shape, dtype=np.float32)


def embeddings(cell: Cell, batch_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(of the prompts, of the empty prompts)``: float32 of (batch, length, context)
    each.
    """
    a = cell.architecture
    shape = (2, batch_size, a["text_length"], a["context_size"])
    prompts, empty = _rng(cell, 3).standard_normal(shape, dtype=np.float32)
    return prompts, np.repeat(empty[:1], batch_size, axis=0)


def _rng(cell: Cell, stream: int) -> np.random.Generator:
    return np.random.default_rng([cell.seed, stream])
