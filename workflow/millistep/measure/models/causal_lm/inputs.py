"""Prompts, vocabulary and training batches, the same for every framework."""

import itertools
from collections.abc import Collection
from typing import Any

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture

# The published benchmark's words; its prompts are their combinations, in order.
WORDS = (
    *("I", "you", "get", "take", "it", "of", "for"),
    *("from", "can", "not", "do", "use", "would", "yes"),
)
PROMPT_TOKENS = 6  # begin of sequence and five words, each one token for the real tokenizers, too


def prompt_tokens(architecture: Architecture) -> int:
    """Return tokens of each prompt: six, as published, unless a probe sets longer ones."""
    tokens: int = architecture.get("prompt_tokens", PROMPT_TOKENS)
    return tokens


def prompts(batch_size: int, length: int = PROMPT_TOKENS) -> list[str]:
    """Return ``batch_size`` strings of ``length`` tokens; more than there are combinations start
    over.
    """
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


def pieces(special: Collection[str], vocabulary_size: int) -> list[str]:
    """Return all pieces of a vocabulary in the order of their ids: special tokens, words, filler.

    The filler makes the vocabulary as large as the model's, so that whatever
    a model generates can be turned into a string.
    """
    filler = (f"w{number}" for number in itertools.count())
    words = itertools.islice(itertools.chain(WORDS, filler), vocabulary_size - len(special))
    return [*special, *(f"▁{word}" for word in words)]


def tokenizer(found: Any, cell: Cell) -> str:
    """Return the observed tokenizer: whose class it is, and whose words are in it."""
    kind = type(found)
    if kind.__module__.startswith("measure."):
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
