"""BERT from KerasNLP, the last release with Keras 2 code."""

from typing import Any

from millistep.measure.models.bert.keras_hub import batch, build
from millistep.measure.models.keras_hub import library as keras_nlp

__all__ = ["attention", "batch", "build", "keras_nlp"]


def attention(model: Any) -> str:
    """Return the only implementation of Keras 2."""
    return "einsum"
