"""BERT from KerasHub."""

from typing import Any

import keras

from measure.frameworks import Cell
from measure.libraries.keras import uses_fused_attention
from measure.libraries.keras_hub import library as keras_hub
from measure.models import Architecture, xla
from measure.models.bert.inputs import labels, tokens


def build(cell: Cell) -> Any:
    """A compiled ``BertClassifier``, which KerasHub calls ``BertTextClassifier`` too; AdamW and
    cross-entropy from logits for fit.
    """
    if cell.weights == "preset":
        model = keras_hub.models.BertClassifier.from_preset(
            "bert_base_en", num_classes=cell.architecture["classes"], preprocessor=None
        )
    else:
        model = keras_hub.models.BertClassifier(
            backbone=_backbone(cell.architecture),
            num_classes=cell.architecture["classes"],
            dropout=cell.architecture["dropout"],
            preprocessor=None,
        )
    # KerasHub compiles every task with defaults of its own; the page's choices replace them. Its
    # accuracy stays unless the list of metrics is empty.
    if cell.task == "fit":
        model.compile(
            optimizer=keras.optimizers.AdamW(),
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=[],
            **xla.options(cell, keras),
        )
    else:
        model.compile(**xla.options(cell, keras))
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """``(inputs,)`` or ``(inputs, labels)`` as NumPy arrays."""
    ids, segments, mask = tokens(cell, batch_size)
    inputs = {"token_ids": ids, "segment_ids": segments, "padding_mask": mask}
    return (inputs, labels(cell, batch_size)) if cell.task == "fit" else (inputs,)


def attention(model: Any) -> str:
    """The implementation that the encoder's attention really takes."""
    layer = model.backbone.transformer_layers[0]._self_attention_layer
    fused = uses_fused_attention(keras, layer)
    return "keras.ops.dot_product_attention" if fused else "einsum"


def _backbone(a: Architecture) -> Any:
    return keras_hub.models.BertBackbone(
        vocabulary_size=a["vocabulary_size"],
        num_layers=a["layers"],
        num_heads=a["heads"],
        hidden_dim=a["hidden_size"],
        intermediate_dim=a["intermediate_size"],
        dropout=a["dropout"],
        max_sequence_length=a["max_positions"],
    )
