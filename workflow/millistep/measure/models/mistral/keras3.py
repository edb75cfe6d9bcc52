"""Mistral from KerasHub."""

from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.causal_lm import keras_hub as causal_lm
from millistep.measure.models.causal_lm.keras_hub import LOOPS, batch, facts
from millistep.measure.models.keras_hub import backbone_with_heads, decoder_attention
from millistep.measure.models.keras_hub import library as keras_hub
from millistep.measure.models.mistral.work import SPECIAL

__all__ = ["LOOPS", "attention", "batch", "build", "facts", "keras_hub"]


def build(cell: Cell) -> Any:
    return causal_lm.build(cell, "Mistral", "mistral_7b_en", backbone, SPECIAL)


def attention(model: Any) -> str:
    return decoder_attention()


def backbone(a: Architecture) -> Any:
    return backbone_with_heads(
        keras_hub.models.MistralBackbone,
        **causal_lm.sizes(a),
        intermediate_dim=a["intermediate_size"],
        head_dim=a["head_size"],
        sliding_window=a["sliding_window"],
    )
