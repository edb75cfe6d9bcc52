"""The aligner in Keras 3 on JAX; its search is a C++ function of XLA."""

from millistep.measure.models.aligner.keras3 import batch, build_with
from millistep.measure.models.aligner.search_jax_cpp import search

__all__ = ["batch", "build"]


def build(cell):
    return build_with(cell, search)
