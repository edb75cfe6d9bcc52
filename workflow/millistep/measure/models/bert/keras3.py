"""BERT from KerasHub, or from KerasNLP, as it was called on Keras 2: the same calls of both."""

from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, xla
from millistep.measure.models.bert.work import labels, tokens
from millistep.measure.models.keras_hub import library as keras_hub
from millistep.measure.models.keras_module import keras


def build(cell: Cell) -> Any:
    """Return a compiled ``BertClassifier``; AdamW and cross-entropy from logits for fit."""
    a, classifier = cell.architecture, keras_hub.models.BertClassifier
    head = {"num_classes": a["classes"], "preprocessor": None}
    if cell.weights == "preset":
        model = classifier.from_preset("bert_base_en", **head)
    else:
        model = classifier(backbone=_backbone(a), dropout=a["dropout"], **head)
    # KerasHub compiles every task with defaults of its own; the page's choices replace them. Its
    # accuracy stays unless the list of metrics is empty.
    options = xla.options(cell, keras)
    if cell.task == "fit":
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer=keras.optimizers.AdamW(), loss=loss, metrics=[], **options)
    else:
        model.compile(**options)
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """Return ``(inputs,)`` or ``(inputs, labels)`` as NumPy arrays."""
    ids, segments, mask = tokens(cell, batch_size)
    inputs = {"token_ids": ids, "segment_ids": segments, "padding_mask": mask}
    return (inputs, labels(cell, batch_size)) if cell.task == "fit" else (inputs,)


def attention(model: Any) -> str:
    """Return the implementation that the encoder's attention really takes."""
    layer = model.backbone.transformer_layers[0]._self_attention_layer
    # Releases of Keras 3 with this switch fuse the attention, except for one with dropout.
    switch = hasattr(getattr(keras, "config", None), "is_flash_attention_enabled")
    return "keras.ops.dot_product_attention" if switch and not layer._dropout else "einsum"


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
