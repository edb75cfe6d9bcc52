"""Mistral from KerasNLP, as KerasHub was called on Keras 2: generation only."""

from typing import Any

import tensorflow as tf

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.causal_lm import keras3, work
from millistep.measure.models.causal_lm.keras3 import LOOPS, attention, facts
from millistep.measure.models.keras_hub import library as keras_hub

__all__ = ["LOOPS", "attention", "build", "facts", "keras_hub"]


def build(cell: Cell) -> Any:
    """Return a ``MistralCausalLM`` compiled for greedy generation."""
    if cell.architecture["dtype"] == "bfloat16":
        # Its attention fails without: "SymbolicTensor object has no attribute 'astype'".
        tf.experimental.numpy.experimental_enable_numpy_behavior()
    return keras3.build(cell, WordPreprocessor(cell.architecture))


class WordPreprocessor:
    """Turns strings into padded tokens and back, in Python, as KerasHub's tokenizers do.

    KerasNLP's own tokenizer needs tensorflow-text, which brings a second TensorFlow.
    The cost of this class is negligible compared with 44 tokens of a model.
    """

    def __init__(self, a: Architecture) -> None:
        self._pieces = work.pieces(a)
        self._ids = {piece: number for number, piece in enumerate(self._pieces)}
        self._special = {self._ids[piece] for piece in work.SPECIAL[a["kind"]].values()}
        self._begin = self._ids["<s>"]
        self.tokenizer = self  # early releases read the end token from here

    def generate_preprocess(self, texts: Any, sequence_length: int) -> dict[str, Any]:
        """Return ``token_ids`` and ``padding_mask`` of (batch, sequence_length) for strings."""
        texts = texts.numpy() if isinstance(texts, tf.Tensor) else texts
        rows = [[self._begin, *map(self._id, tf.compat.as_str(text).split())] for text in texts]
        ragged = tf.ragged.constant(rows, dtype="int32")
        shape = (len(rows), sequence_length)
        return {
            "token_ids": ragged.to_tensor(shape=shape),
            "padding_mask": tf.ones_like(ragged, dtype="bool").to_tensor(shape=shape),
        }

    def generate_postprocess(self, tokens: dict[str, Any]) -> list[str]:
        """Return strings of token ids, without special tokens."""
        return [
            "".join(self._pieces[i] for i in row if i not in self._special).replace("▁", " ")
            for row in tokens["token_ids"].numpy().tolist()
        ]

    def _id(self, word: str) -> int:
        return self._ids[f"▁{word}"]
