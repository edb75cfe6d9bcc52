"""Inputs and work of a step, from the architecture alone: the same for every framework."""

from typing import Any

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture


def images(cell: Cell, batch_size: int) -> np.ndarray:
    """Return random images, float32 of (batch, size, size, 3) in [0, 1)."""
    size = cell.architecture["image_size"]
    rng = np.random.default_rng(cell.seed)
    return rng.random((batch_size, size, size, 3), dtype=np.float32)


def features(cell: Cell, batch_size: int) -> np.ndarray:
    """Return targets of the image encoder: float32 of (batch, grid, grid, channels) in [0, 1)."""
    grid = patch_grid(cell)
    shape = (batch_size, grid, grid, cell.architecture["out_channels"])
    return np.random.default_rng(cell.seed + 1).random(shape, dtype=np.float32)


def points(cell: Cell, batch_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(points in pixels, labels)``, float32 of (batch, 2, 2) and (batch, 2).

    The first point is inside the object (1), the second one outside (0).
    """
    size = cell.architecture["image_size"]
    two = np.random.default_rng(cell.seed + 2).integers(0, size, (1, 2, 2)).astype(np.float32)
    labels = np.array([[1, 0]], np.float32)
    return np.repeat(two, batch_size, axis=0), np.repeat(labels, batch_size, axis=0)


def patch_grid(cell: Cell) -> int:
    """Return patches along one side of the image."""
    return int(cell.architecture["image_size"] // cell.architecture["patch_size"])


MASKS = 4  # the best mask and three alternatives
TOKENS = 1 + MASKS + 3  # the quality's, the masks', two points and the padding point


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    Matrix products and convolutions; a training step costs three forward passes
    (the backward pass repeats each product twice), less the gradient of the images,
    which nothing needs. Left out: norms, softmax, activations, the sine encodings
    of positions, which are computed once per batch, and the optimizer.
    """
    encoder = image_encoder(architecture)
    fit = 3 * encoder - _patches(architecture)
    flops = batch_size * (fit if task == "fit" else encoder + mask_decoder(architecture))
    return {"flops_per_step": flops, "tokens_per_step": None, "images_per_step": batch_size}


def image_encoder(a: Architecture) -> int:
    """Return FLOPs of the ViT for one image; its windows are padded to full size."""
    d, out, window = a["hidden_size"], a["out_channels"], a["window_size"]
    grid = a["image_size"] // a["patch_size"]
    windows = -(-grid // window)  # along one side, the last one padded
    flops = _patches(a)
    for layer in range(a["layers"]):
        whole = layer in a["global_layers"]
        flops += _vit_attention(1, grid, d) if whole else _vit_attention(windows**2, window, d)
        flops += 2 * grid**2 * 2 * d * a["intermediate_size"]
    return int(flops + 2 * grid**2 * (d * out + 9 * out * out))


def _patches(a: Architecture) -> int:
    """Return FLOPs of the first convolution: patches that do not overlap, of three colors."""
    return int(2 * a["image_size"] ** 2 * 3 * a["hidden_size"])


def _vit_attention(windows: int, side: int, d: int) -> int:
    """Return FLOPs in windows of side x side tokens: four projections, scores, values, positions.

    The relative positions of rows and of columns are a product of every query
    with ``side`` vectors each.
    """
    tokens = side**2
    return windows * (2 * tokens * 4 * d * d + 4 * tokens * tokens * d + 4 * tokens * side * d)


def mask_decoder(a: Architecture) -> int:
    """Return FLOPs of the two-way transformer, the upscaling and the heads for one image."""
    d, ff, hidden = a["out_channels"], a["decoder_intermediate_size"], a["iou_hidden_size"]
    pixels = (a["image_size"] // a["patch_size"]) ** 2
    layer = (
        _attention(TOKENS, TOKENS, d, d)
        + _attention(TOKENS, pixels, d, d // 2)
        + _attention(pixels, TOKENS, d, d // 2)
        + 2 * TOKENS * 2 * d * ff
    )
    upscaling = 2 * pixels * 4 * d * (d // 4) + 2 * 4 * pixels * 4 * (d // 4) * (d // 8)
    masks = MASKS * 2 * (d * d + d * d + d * (d // 8)) + 2 * MASKS * (d // 8) * 16 * pixels
    quality = 2 * (d * hidden + hidden * hidden + hidden * MASKS)
    final = _attention(TOKENS, pixels, d, d // 2)
    return int(a["decoder_layers"] * layer + final + upscaling + masks + quality)


def _attention(queries: int, keys: int, d: int, inner: int) -> int:
    """Return FLOPs: projections from and to width ``d``, scores and values at width ``inner``."""
    return 2 * d * inner * (2 * queries + 2 * keys) + 4 * queries * keys * inner
