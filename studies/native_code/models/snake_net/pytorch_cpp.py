"""The network in PyTorch; its activation is a C++ operator."""

from millistep.measure.models.snake_net.pytorch import batch, build_with, optimizer
from millistep.measure.models.snake_net.snake_torch_cpp import snake

__all__ = ["batch", "build", "optimizer"]


def build(cell):
    return build_with(cell, snake)
