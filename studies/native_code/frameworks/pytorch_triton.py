"""PyTorch, eager, with a model's custom Triton operation."""

from millistep.measure.frameworks import pytorch_eager


class Framework(pytorch_eager.Framework):
    family = "pytorch_triton"
