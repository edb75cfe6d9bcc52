"""BERT from KerasNLP, the last release with Keras 2 code."""

from typing import Any

import keras_nlp
import tensorflow as tf

from measure.frameworks import Cell
from measure.models import Architecture, xla
from measure.models.bert.inputs import labels, tokens


def build(cell: Cell) -> Any:
    """A compiled ``BertClassifier``; AdamW and cross-entropy from logits for fit."""
    if cell.weights == "preset":
        model = keras_nlp.models.BertClassifier.from_preset(
            "bert_base_en", num_classes=cell.architecture["classes"], preprocessor=None
        )
    else:
        model = keras_nlp.models.BertClassifier(
            backbone=_backbone(cell.architecture),
            num_classes=cell.architecture["classes"],
            dropout=cell.architecture["dropout"],
            preprocessor=None,
        )
    if cell.task == "fit":
        model.compile(
            optimizer=tf.keras.optimizers.AdamW(),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=[],
            **xla.options(cell, tf.keras),
        )
    else:
        model.compile(**xla.options(cell, tf.keras))
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """``(inputs,)`` or ``(inputs, labels)`` as NumPy arrays."""
    ids, segments, mask = tokens(cell, batch_size)
    inputs = {"token_ids": ids, "segment_ids": segments, "padding_mask": mask}
    return (inputs, labels(cell, batch_size)) if cell.task == "fit" else (inputs,)


def attention(model: Any) -> str:
    """Keras 2 has only this implementation."""
    return "einsum"


def _backbone(a: Architecture) -> Any:
    return keras_nlp.models.BertBackbone(
        vocabulary_size=a["vocabulary_size"],
        num_layers=a["layers"],
        num_heads=a["heads"],
        hidden_dim=a["hidden_size"],
        intermediate_dim=a["intermediate_size"],
        dropout=a["dropout"],
        max_sequence_length=a["max_positions"],
    )
