"""Work of one step, from the architecture alone: the same for every framework."""

from typing import Any

from millistep.measure.models import Architecture
from millistep.measure.models.causal_lm.inputs import new_tokens, prompt_tokens


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    A matrix product costs 2 FLOPs a parameter and token (Kaplan et al. 2020,
    section 2.1). Attention costs ``4 * heads * head size`` a query and key that
    it may see: scores and values (Chowdhery et al. 2022, appendix B), counted
    causally. Norms, softmax, activations, rotations, embedding look-ups and the
    optimizer are left out.

    fit: forward, and the gradients of all inputs, which cost as much again for
    frozen matrices and twice as much for attention, whose factors are both
    computed; LoRA's two factors at query and value (Hu et al. 2021, section
    4.1) cost three times their forward pass. Of the first layer's query, key and
    value no gradient of the input is needed, since nothing below it is trained;
    nor that of its keys.
    generate: each prompt is read once, then all new tokens but the last; only
    tokens that are followed by a new one need the vocabulary's logits.
    """
    if task == "fit":
        flops, tokens = _fit(architecture), architecture["sequence_length"]
    else:
        flops, tokens = _generate(architecture), new_tokens(architecture)
    return {
        "flops_per_step": batch_size * flops,
        "tokens_per_step": batch_size * tokens,
        "images_per_step": None,
    }


def _fit(a: Architecture) -> int:
    length = a["sequence_length"]
    frozen: int = length * 2 * (a["layers"] * _layer(a) + _head(a))
    adapters: int = length * 2 * a["layers"] * _adapters(a)
    return 2 * frozen + 3 * _attention(a, length) + 3 * adapters - _below_the_first(a, length)


def _below_the_first(a: Architecture, length: int) -> int:
    """Return FLOPs of gradients that the first layer would hand on to the embedding, which is
    frozen.
    """
    outputs = (a["heads"] + 2 * a["key_value_heads"]) * a["head_size"]
    inputs: int = length * 2 * a["hidden_size"] * (outputs + 2 * a["lora_rank"])
    keys: int = _attention(a, length) // a["layers"] // 2
    return inputs + keys


def _generate(a: Architecture) -> int:
    read = prompt_tokens(a) + new_tokens(a) - 1
    layers: int = read * 2 * a["layers"] * _layer(a)
    return layers + new_tokens(a) * 2 * _head(a) + _attention(a, read)


def _layer(a: Architecture) -> int:
    """Return parameters of one layer's matrices: query, output, key, value; gate, up, down."""
    heads = 2 * (a["heads"] + a["key_value_heads"])
    parameters: int = a["hidden_size"] * (heads * a["head_size"] + 3 * a["intermediate_size"])
    return parameters


def _head(a: Architecture) -> int:
    """Return parameters of the matrix that makes logits."""
    parameters: int = a["hidden_size"] * a["vocabulary_size"]
    return parameters


def _adapters(a: Architecture) -> int:
    """Return parameters of one layer's LoRA factors, one pair for each of query and value."""
    outputs = (a["heads"] + a["key_value_heads"]) * a["head_size"]
    parameters: int = a["lora_rank"] * (2 * a["hidden_size"] + outputs)
    return parameters


def _attention(a: Architecture, length: int) -> int:
    """Return FLOPs of all layers' attention over a sequence, each token seeing those before it."""
    window = a.get("sliding_window") or length
    pairs = sum(min(position + 1, window) for position in range(length))
    flops: int = a["layers"] * 4 * a["heads"] * a["head_size"] * pairs
    return flops
