"""Work of one step, from the architecture alone: the same for every framework."""

from itertools import pairwise
from typing import Any

from measure.models import Architecture


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """FLOPs (a multiply-add is two), tokens and images of one step: products of matrices.

    A training step costs three forward passes, less one of the first layer: nobody needs the
    gradient of the inputs.
    """
    layers = [2 * before * after for before, after in shapes(architecture)]
    one = 3 * sum(layers) - layers[0] if task == "fit" else sum(layers)
    return {
        "flops_per_step": batch_size * one,
        "tokens_per_step": None,
        "images_per_step": None,
    }


def shapes(a: Architecture) -> list[tuple[int, int]]:
    """(inputs, outputs) of each layer."""
    return list(pairwise([a["inputs"], *a["hidden"], a["outputs"]]))
