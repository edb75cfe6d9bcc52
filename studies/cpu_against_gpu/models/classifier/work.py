"""Work of one step, from the architecture alone: the same for every framework."""

from itertools import pairwise
from math import prod
from typing import Any

from millistep.measure.models import Architecture


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    Convolutions and matrix products count, for results that are used: XLA computes no row and no
    column that the pool behind a convolution leaves over. A training step costs three forward
    passes, less one of the first layer: no step needs the gradient of the images. Activations,
    pools, softmax and the optimizer are left out. Images are counted where there are convolutions;
    to dense layers an image is a row of numbers.
    """
    a = architecture
    places = [(side - side % 2) ** 2 for side in _sides(a)] + [1] * (len(a["hidden"]) + 1)
    layers = [2 * n * prod(shape) for n, shape in zip(places, shapes(a), strict=True)]
    one = 3 * sum(layers) - layers[0] if task == "fit" else sum(layers)
    return {
        "flops_per_step": batch_size * one,
        "tokens_per_step": None,
        "images_per_step": batch_size if a["filters"] else None,
    }


def shapes(a: Architecture) -> list[tuple[int, ...]]:
    """Shape of each layer's kernel: (side, side, channels, filters), then (inputs, outputs)."""
    channels = [a["inputs"][-1], *(filters for filters, _ in a["filters"])]
    kernels = [kernel for _, kernel in a["filters"]]
    found: list[tuple[int, ...]] = [
        (kernel, kernel, *pair) for kernel, pair in zip(kernels, pairwise(channels), strict=True)
    ]
    return found + list(pairwise([features(a), *a["hidden"], a["classes"]]))


def features(a: Architecture) -> int:
    """Return the number of values of an image that reach the dense layers."""
    if not a["filters"]:
        return prod(a["inputs"])
    return a["filters"][-1][0] * (_sides(a)[-1] // 2) ** 2


def _sides(a: Architecture) -> list[int]:
    """Side of each convolution's output, without padding; a pool of 2 x 2 follows each."""
    sides: list[int] = []
    side = a["inputs"][0]
    for _, kernel in a["filters"]:
        sides.append(side - kernel + 1)
        side = sides[-1] // 2
    return sides
