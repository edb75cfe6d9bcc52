"""BERT from KerasNLP, the last release with Keras 2 code."""

from typing import Any

import keras_nlp
import tensorflow as tf

from measure.frameworks import Cell
from measure.models.bert import keras_hub as bert

batch = bert.batch


def build(cell: Cell) -> Any:
    """A compiled ``BertClassifier``; AdamW and cross-entropy from logits for fit."""
    return bert.build(tf.keras, keras_nlp, cell)


def attention(model: Any) -> str:
    """Keras 2 has only this implementation."""
    return "einsum"
