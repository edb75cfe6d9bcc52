"""BERT from KerasHub."""

from typing import Any

import keras

from millistep.measure.models.bert.keras_hub import batch, build
from millistep.measure.models.keras_hub import library as keras_hub

__all__ = ["attention", "batch", "build", "keras_hub"]


def attention(model: Any) -> str:
    """Return the implementation that the encoder's attention really takes."""
    layer = model.backbone.transformer_layers[0]._self_attention_layer
    # Releases with this switch fuse the attention, except for one with dropout.
    fused = hasattr(keras.config, "is_flash_attention_enabled") and not layer._dropout
    return "keras.ops.dot_product_attention" if fused else "einsum"
