"""Gemma from HuggingFace Transformers."""

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
from measure.models.gemma.inputs import SPECIAL

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
    """``GemmaForCausalLM``, with adapters for fit."""
    return causal_lm.build(cell, config(cell.architecture), SPECIAL, "google/gemma-7b")


def config(a: Architecture) -> Any:
    """``GemmaConfig`` of an architecture."""
    return transformers.GemmaConfig(
        vocab_size=a["vocabulary_size"],
        num_hidden_layers=a["layers"],
        num_attention_heads=a["heads"],
        num_key_value_heads=a["key_value_heads"],
        hidden_size=a["hidden_size"],
        intermediate_size=a["intermediate_size"],
        head_dim=a["head_size"],
        max_position_embeddings=a["max_positions"],
    )
