"""The aligner in PyTorch; its search is a Triton kernel."""

from millistep.measure.models.aligner.pytorch import batch, build_with, optimizer
from millistep.measure.models.aligner.search_torch_triton import search

__all__ = ["batch", "build", "optimizer"]


def build(cell):
    return build_with(cell, search)
