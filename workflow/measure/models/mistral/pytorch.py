"""Mistral from HuggingFace Transformers."""

from typing import Any

import transformers

from measure.frameworks import Cell
from measure.models import Architecture
from measure.models.causal_lm import pytorch as causal_lm
from measure.models.causal_lm.pytorch import (
    BY_TRAINER,
    LOOPS,
    attention,
    batch,
    compile,
    facts,
    library,
    optimizer,
)
from measure.models.mistral.inputs import SPECIAL

__all__ = [
    "BY_TRAINER",
    "LOOPS",
    "attention",
    "batch",
    "build",
    "compile",
    "facts",
    "library",
    "optimizer",
]


def build(cell: Cell) -> Any:
    """``MistralForCausalLM``, with adapters for fit."""
    return causal_lm.build(cell, config(cell.architecture), SPECIAL, "mistralai/Mistral-7B-v0.1")


def config(a: Architecture) -> Any:
    """``MistralConfig`` of an architecture."""
    return transformers.MistralConfig(
        vocab_size=a["vocabulary_size"],
        num_hidden_layers=a["layers"],
        num_attention_heads=a["heads"],
        num_key_value_heads=a["key_value_heads"],
        hidden_size=a["hidden_size"],
        intermediate_size=a["intermediate_size"],
        head_dim=a["head_size"],
        sliding_window=a["sliding_window"],
    )
