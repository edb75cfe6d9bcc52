"""Seeded inputs, initial weights, and the search in NumPy as the reference."""

import numpy as np
from millistep.measure.models.native.arrays import glorot


def text(cell, batch_size):
    """Return random token ids, int32 of (batch, tokens)."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed)
    return rng.integers(0, a["vocabulary"], (batch_size, a["tokens"]), dtype=np.int32)


def speech(cell, batch_size):
    """Return random mel frames, float32 of (batch, frames, mels)."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed + 1)
    return rng.standard_normal((batch_size, a["frames"], a["mels"]), dtype=np.float32)


def operand(cell, batch_size):
    """Return values to search, float32 of (batch, frames, tokens)."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed + 2)
    return rng.standard_normal((batch_size, a["frames"], a["tokens"]), dtype=np.float32)


def initial_weights(cell):
    """Return the embedding, then kernel and bias of two dense layers each for text and speech."""
    a, rng = cell.architecture, np.random.default_rng(cell.seed + 3)
    embedding = rng.uniform(-0.05, 0.05, (a["vocabulary"], a["width"])).astype(np.float32)
    output = (a["width"], a["channels"])
    shapes = [(a["width"], a["width"]), output, (a["mels"], a["width"]), output]
    return [embedding, *glorot(rng, shapes)]


def search(value):
    """Return the token of each frame, int32 of (batch, frames), on the path of the largest sum.

    value: float32 of (batch, frames, tokens), frames >= tokens. A path begins at the first token,
    ends at the last one, and stays or advances by one token per frame. Of equal sums, it stays.
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
