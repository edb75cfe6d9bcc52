"""Load a C++ operator into PyTorch, and give an operator a gradient."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from millistep.measure.models.native.compile import shared_library
from torch import Tensor


class Loss(NamedTuple):
    """The output of a model that trains."""

    loss: Tensor


def load(source: Path) -> None:
    """Compile an operator for PyTorch's stable ABI and add it to ``torch.ops``."""
    folder = Path(torch.__file__).parent
    compile_flags = ["-std=c++17", f"-I{folder / 'include'}"]
    library = shared_library(source, compile_flags, [f"-L{folder / 'lib'}", "-ltorch_cpu"])
    torch.ops.load_library(library)


def differentiable(name: str, gradient) -> None:
    """Register the gradient of an operator ``name(x, constant)`` with respect to x."""

    def keep(ctx, inputs, output) -> None:
        x, ctx.constant = inputs
        ctx.save_for_backward(x)

    def backward(ctx, dy: Tensor):
        return gradient(*ctx.saved_tensors, dy, ctx.constant), None

    torch.library.register_autograd(name, backward, setup_context=keep)


def set_weights(model: torch.nn.Module, weights: list[np.ndarray]) -> None:
    """Copy weights into the parameters; PyTorch keeps kernels of dense layers transposed."""
    with torch.no_grad():
        for (name, parameter), weight in zip(model.named_parameters(), weights, strict=True):
            value = torch.from_numpy(weight)
            parameter.copy_(value.T if value.ndim == 2 and "embedding" not in name else value)


def optimizer(model: torch.nn.Module) -> torch.optim.Optimizer:
    """Return the optimizer of the models that train."""
    return torch.optim.SGD(model.parameters(), lr=0.01)
