"""Gemma from KerasHub."""

from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.causal_lm import keras_hub as causal_lm
from millistep.measure.models.causal_lm.keras_hub import LOOPS, batch, facts
from millistep.measure.models.gemma.work import SPECIAL
from millistep.measure.models.keras_hub import decoder_attention
from millistep.measure.models.keras_hub import library as keras_hub

__all__ = ["LOOPS", "attention", "batch", "build", "facts", "keras_hub"]


def build(cell: Cell) -> Any:
    return causal_lm.build(cell, "Gemma", "gemma_7b_en", backbone, SPECIAL)


def attention(model: Any) -> str:
    return decoder_attention(model.backbone.transformer_layers[0].attention)


def backbone(a: Architecture) -> Any:
    return keras_hub.models.GemmaBackbone(
        **causal_lm.sizes(a),
        intermediate_dim=2 * a["intermediate_size"],  # KerasHub counts gate and up together
        head_dim=a["head_size"],
    )
