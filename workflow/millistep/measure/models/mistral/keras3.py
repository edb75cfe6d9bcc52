"""Mistral from KerasHub."""

from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.causal_lm import keras3 as causal_lm
from millistep.measure.models.causal_lm.keras3 import LOOPS, batch, facts
from millistep.measure.models.causal_lm.keras_hub import sizes
from millistep.measure.models.keras_hub import backbone_with_heads, fuses_attention
from millistep.measure.models.keras_hub import library as keras_hub
from millistep.measure.models.mistral.work import SPECIAL

__all__ = ["LOOPS", "attention", "batch", "build", "facts"]


def build(cell: Cell) -> Any:
    """Return a compiled ``MistralCausalLM``."""
    a = cell.architecture
    if cell.weights == "preset":
        model = keras_hub.models.MistralCausalLM.from_preset("mistral_7b_en", dtype=a["dtype"])
    else:
        model = keras_hub.models.MistralCausalLM(
            backbone=backbone(a),
            preprocessor=causal_lm.preprocessor(cell, "Mistral", [*SPECIAL.values()]),
        )
    return causal_lm.finish(model, cell)


def attention(model: Any) -> str:
    """Return the implementation that the decoder's attention really takes, found as the layer
    does.
    """
    return "keras.ops.dot_product_attention" if fuses_attention() else "einsum"


def backbone(a: Architecture) -> Any:
    """Return ``MistralBackbone`` of an architecture."""
    return backbone_with_heads(
        keras_hub.models.MistralBackbone,
        **sizes(a),
        intermediate_dim=a["intermediate_size"],
        head_dim=a["head_size"],
        sliding_window=a["sliding_window"],
    )
