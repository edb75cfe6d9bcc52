"""Work of one step, from the architecture alone: the same for every framework."""

from typing import Any

from measure.models import Architecture


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """FLOPs (a multiply-add is two), tokens and images of one step.

    Matrix products, of which the operation alone has none. A training step costs three forward
    passes of the encoders, less one of the first layer of mel frames, whose gradient nobody needs;
    the products of all frames with all tokens, which the search is told, have no gradient at all.
    """
    a = architecture
    tokens = {"flops_per_step": None, "tokens_per_step": batch_size * a["tokens"]}
    if task == "fit":
        text = a["tokens"] * a["width"] * (a["width"] + a["channels"])
        first, second = a["mels"] * a["width"], a["width"] * a["channels"]
        speech = a["frames"] * (2 * first + 3 * second)
        pairs = a["frames"] * a["tokens"] * a["channels"]
        tokens["flops_per_step"] = batch_size * 2 * (3 * text + speech + pairs)
    return {**tokens, "images_per_step": None}
