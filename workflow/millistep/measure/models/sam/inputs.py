"""Seeded random images, channels last, and two points that are the same in every image."""

import numpy as np

from millistep.measure.frameworks import Cell


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
    side: int = cell.architecture["image_size"] // cell.architecture["patch_size"]
    return side
