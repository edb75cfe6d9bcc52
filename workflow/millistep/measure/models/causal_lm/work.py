"""Inputs and work of a step, from the architecture alone: the same for every framework."""

import itertools
from typing import Any

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture

# The published benchmark's words; its prompts are their combinations, in order.
WORDS = (
    *("I", "you", "get", "take", "it", "of", "for"),
    *("from", "can", "not", "do", "use", "would", "yes"),
)
# By kind: special tokens by role, in the order of their ids. Mistral has none for padding.
SPECIAL = {
    "Gemma": {
        "pad_token": "<pad>",
        "eos_token": "<eos>",
        "bos_token": "<bos>",
        "unk_token": "<unk>",
    },
    "Mistral": {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
}
PROMPT_TOKENS = 6  # begin of sequence and five words, each one token for the real tokenizers, too


def prompt_tokens(architecture: Architecture) -> int:
    """Return tokens of each prompt: six, as published, unless a probe sets longer ones."""
    return int(architecture.get("prompt_tokens", PROMPT_TOKENS))


def prompts(batch_size: int, length: int = PROMPT_TOKENS) -> list[str]:
    """Return ``batch_size`` strings of ``length`` tokens, in a cycle of all combinations."""
    words = length - 1  # the tokenizer adds the first token
    combinations = itertools.cycle(itertools.product(WORDS, repeat=words))
    return [" ".join(words) for words in itertools.islice(combinations, batch_size)]


def new_tokens(architecture: Architecture) -> int:
    """Return tokens that one ``generate()`` call adds to each prompt.

    ``max_length`` counts the prompt, as Keras' does.
    """
    length: int = architecture["max_length"]
    return length - prompt_tokens(architecture)


def check_new_tokens(found: float, architecture: Architecture) -> None:
    """Raise unless one call made as many new tokens a prompt as the row's work counts."""
    expected = new_tokens(architecture)
    if found != expected:
        raise RuntimeError(f"generate() made {found} new tokens a prompt instead of {expected}")


def pieces(architecture: Architecture) -> list[str]:
    """Return all pieces of a vocabulary in the order of their ids: special tokens, words, filler.

    The filler makes the vocabulary as large as the model's, so that all generated tokens become
    strings.
    """
    special = SPECIAL[architecture["kind"]].values()
    filler = (f"w{number}" for number in itertools.count())
    words = (f"▁{word}" for word in itertools.chain(WORDS, filler))
    return [*itertools.islice(itertools.chain(special, words), architecture["vocabulary_size"])]


def tokenizer(found: Any, cell: Cell) -> str:
    """Return the observed tokenizer: whose class it is, and whose words are in it."""
    kind = type(found)
    if kind.__module__.startswith("millistep."):
        return f"{kind.__name__} of Millistep"
    return "the library's" if cell.weights == "preset" else "the library's, words of Millistep"


def tokens(cell: Cell, batch_size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``(token ids, mask, targets)``: int32, bool and int32, each of (batch, length).

    Seeded and random, every id in use, no padding; the target of a token is the
    one that follows it.
    """
    length = cell.architecture["sequence_length"]
    rng = np.random.default_rng(cell.seed)
    size = (batch_size, length + 1)
    ids = rng.integers(0, cell.architecture["vocabulary_size"], size, dtype=np.int32)
    return ids[:, :-1].copy(), np.ones((batch_size, length), bool), ids[:, 1:].copy()


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    A matrix product costs 2 FLOPs a parameter and token (Kaplan et al. 2020,
    section 2.1). Attention costs ``4 * heads * head size`` a query and key that
    it may see: scores and values (Chowdhery et al. 2022, appendix B), counted causally. Norms,
    softmax, activations, rotations, embedding look-ups and the optimizer are left out.

    fit: forward, and the gradients of all inputs, which cost as much again for frozen matrices and
    twice as much for attention, whose factors are both computed; LoRA's two factors at query and
    value (Hu et al. 2021, section 4.1) cost three times their forward pass. Of the first layer's
    query, key and value no gradient of the input is needed, since nothing below it is trained; nor
    that of its keys.
    generate: each prompt is read once, then all new tokens but the last; only
    tokens that are followed by a new one need the vocabulary's logits.
    """
    if task == "fit":
        flops, tokens = _fit(architecture), architecture["sequence_length"]
    else:
        flops, tokens = _generate(architecture), new_tokens(architecture)
    flops, tokens = batch_size * flops, batch_size * tokens
    return {"flops_per_step": flops, "tokens_per_step": tokens, "images_per_step": None}


def _fit(a: Architecture) -> int:
    length = a["sequence_length"]
    frozen: int = length * 2 * (a["layers"] * _layer(a) + _head(a))
    adapters: int = length * 2 * a["layers"] * _adapters(a)
    return 2 * frozen + 3 * _attention(a, length) + 3 * adapters - _below_the_first(a, length)


def _below_the_first(a: Architecture, length: int) -> int:
    """Return FLOPs of gradients that the first layer would hand on to the frozen embedding."""
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
    return int(a["hidden_size"] * (heads * a["head_size"] + 3 * a["intermediate_size"]))


def _head(a: Architecture) -> int:
    return int(a["hidden_size"] * a["vocabulary_size"])


def _adapters(a: Architecture) -> int:
    """Return parameters of one layer's LoRA factors, one pair for each of query and value."""
    outputs = (a["heads"] + a["key_value_heads"]) * a["head_size"]
    return int(a["lora_rank"] * (2 * a["hidden_size"] + outputs))


def _attention(a: Architecture, length: int) -> int:
    """Return FLOPs of all layers' attention over a sequence, each token seeing those before it."""
    window = a.get("sliding_window") or length
    pairs = sum(min(position + 1, window) for position in range(length))
    return int(a["layers"] * 4 * a["heads"] * a["head_size"] * pairs)
