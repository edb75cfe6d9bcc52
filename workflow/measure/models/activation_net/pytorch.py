"""The models in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from measure.frameworks import Cell
from measure.models.activation_net.inputs import (
    initial_weights,
    inputs,
    operand,
    parameters,
    targets,
)
from measure.models.activation_net.work import shapes
from measure.models.image_regression import Loss
from measure.native import torch_steps, torch_ways


def library() -> str:
    """Name of the library, for the parity card."""
    return "torch.nn"


def build(operation: str, cell: Cell) -> torch.nn.Module:
    """The model with its loss and its initial weights."""
    model = Net(shapes(cell.architecture), activation(operation, cell))
    with torch.no_grad():
        for parameter, array in zip(model.parameters(), initial_weights(cell), strict=True):
            weight = torch.from_numpy(array)  # outputs come before inputs here
            parameter.copy_(weight.T if weight.ndim == 2 else weight)
    return model


def optimizer(model: torch.nn.Module) -> torch.optim.Optimizer:
    """Plain gradient descent with the rate that Keras' SGD has by default."""
    return torch.optim.SGD(model.parameters(), lr=0.01)


def batch(cell: Cell, batch_size: int) -> dict[str, np.ndarray]:
    """Keyword arguments of the forward pass."""
    return {"inputs": inputs(cell, batch_size), "targets": targets(cell, batch_size)}


def attention(model: Any) -> str:
    """These models have no attention."""
    return "none"


def activation(operation: str, cell: Cell) -> Callable[[Tensor], Tensor]:
    """The activation in the cell's way, as a function of a tensor alone."""
    function, numbers = torch_ways.operation(operation, cell.way), parameters(cell)
    return lambda x: function(x, *numbers)


def losses(operation: str, cell: Cell, way: str, steps: int) -> list[float]:
    """Losses of the first training steps in a way; the cell's own is compiled as the cell is."""
    model = build(operation, replace(cell, way=way)).to(cell.accelerator).train()
    stepped = torch_ways.as_in_steps(model, cell.mode) if way == cell.way else model
    arrays = batch(cell, cell.batch_size)
    return torch_steps.losses(stepped, optimizer(model), arrays, cell.accelerator, steps)


def alone(operation: str, cell: Cell) -> tuple[Callable[[], list[Tensor]], int]:
    """A function that computes the activation and its gradient; how many a step has."""
    function = activation(operation, cell)
    uses = len(cell.architecture["hidden"])
    return torch_ways.repeated(function, operand(cell), True, cell.mode), uses


def written(operation: str, cell: Cell) -> tuple[Any, ...]:
    """The functions that a user writes for the cell's way."""
    return torch_ways.written(operation, cell.way)


class Net(torch.nn.Module):
    """Dense layers with an activation between them, and the mean squared error at the end."""

    def __init__(
        self, shapes: list[tuple[int, int]], activation: Callable[[Tensor], Tensor]
    ) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(*shape) for shape in shapes)
        self.activation = activation

    def forward(self, inputs: Tensor, targets: Tensor) -> Loss:
        """inputs: (batch, inputs); targets: (batch, outputs)."""
        *hidden, last = self.layers
        x = inputs
        for layer in hidden:
            x = self.activation(layer(x))
        return Loss(mse_loss(last(x), targets))
