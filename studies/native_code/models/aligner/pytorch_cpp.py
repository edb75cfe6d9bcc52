"""The aligner in PyTorch; its search is a C++ operator."""

from millistep.measure.models.aligner.pytorch import batch, build_with, optimizer
from millistep.measure.models.aligner.search_torch_cpp import search

__all__ = ["batch", "build", "optimizer"]


def build(cell):
    return build_with(cell, search)
