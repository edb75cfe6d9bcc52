"""Work of one step, from the architecture alone: the same for every framework."""

from typing import Any

from millistep.measure.models import Architecture


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
    return {
        "flops_per_step": forward * (3 if task == "fit" else 1),
        "tokens_per_step": batch_size * length,
        "images_per_step": None,
    }
