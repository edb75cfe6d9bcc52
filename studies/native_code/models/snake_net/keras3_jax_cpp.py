"""The network in Keras 3 on JAX; its activation is a C++ function of XLA."""

from millistep.measure.models.snake_net.keras3 import batch, build_with
from millistep.measure.models.snake_net.snake_jax_cpp import snake

__all__ = ["batch", "build"]


def build(cell):
    return build_with(cell, snake)
