"""Mistral from KerasNLP, the last release with Keras 2 code: generation only."""

from typing import Any

import keras_nlp
import tensorflow as tf

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, xla
from millistep.measure.models.causal_lm.keras_hub import generate_loop, sizes
from millistep.measure.models.causal_lm.work import pieces, tokenizer
from millistep.measure.models.mistral.work import SPECIAL

LOOPS = {"generate": generate_loop(lambda tensor: tensor.numpy())}


def build(cell: Cell) -> Any:
    """Return a ``MistralCausalLM`` compiled for greedy generation, with XLA."""
    a = cell.architecture
    if a["dtype"] == "bfloat16":
        # Its attention fails without: "SymbolicTensor object has no attribute 'astype'".
        tf.experimental.numpy.experimental_enable_numpy_behavior()
    options = {"preprocessor": WordPreprocessor([*SPECIAL.values()], a["vocabulary_size"])}
    if cell.weights == "preset":
        model = keras_nlp.models.MistralCausalLM.from_preset(
            "mistral_7b_en", dtype=a["dtype"], **options
        )
    else:
        model = keras_nlp.models.MistralCausalLM(backbone=_backbone(a), **options)
    model.compile(sampler="greedy", **xla.options(cell, tf.keras))
    return model


def attention(model: Any) -> str:
    """Return the only implementation of Keras 2."""
    return "einsum"


class WordPreprocessor:
    """Turns strings into padded tokens and back, in Python, as KerasHub's tokenizers do.

    KerasNLP's own tokenizer needs tensorflow-text, which brings a second TensorFlow.
    The cost of this class is negligible compared with 44 tokens of a model.
    """

    def __init__(self, special: list[str], vocabulary_size: int) -> None:
        self._pieces = pieces(special, vocabulary_size)
        self._ids = {piece: number for number, piece in enumerate(self._pieces)}
        self._special = {self._ids[piece] for piece in special}
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


def facts(model: Any, cell: Cell) -> dict[str, Any]:
    """Return the observed settings about the tokenizer, which is ours."""
    return {"tokenizer": tokenizer(model.preprocessor.tokenizer, cell)}


def _backbone(a: Architecture) -> Any:
    return keras_nlp.models.MistralBackbone(
        **sizes(a),
        intermediate_dim=a["intermediate_size"],
        sliding_window=a["sliding_window"],
    )
