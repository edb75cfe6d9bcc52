"""The models in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from measure.frameworks import Cell
from measure.models.activation_net import inputs
from measure.models.activation_net.work import shapes
from measure.models.image_regression import Loss
from measure.models.image_regression import sgd as optimizer
from measure.native import torch_steps, torch_ways

expected, outputs = inputs.expected, torch_steps.outputs


def build(cell: Cell) -> torch.nn.Module:
    """The model with its loss and its initial weights."""
    model = Net(shapes(cell.architecture), activation(cell))
    with torch.no_grad():
        weights = inputs.initial_weights(cell)
        for parameter, array in zip(model.parameters(), weights, strict=True):
            weight = torch.from_numpy(array)  # outputs come before inputs here
            parameter.copy_(weight.T if weight.ndim == 2 else weight)
    return model


def batch(cell: Cell, batch_size: int) -> dict[str, np.ndarray]:
    """Keyword arguments of the forward pass."""
    return {"inputs": inputs.inputs(cell, batch_size), "targets": inputs.targets(cell, batch_size)}


losses = partial(torch_steps.losses, build, batch, optimizer)


def activation(cell: Cell) -> Callable[[Tensor], Tensor]:
    """The activation in the cell's way, as a function of a tensor alone."""
    function = torch_ways.operation(cell.architecture["activation"], cell.way)
    numbers = inputs.parameters(cell)
    return lambda x: function(x, *numbers)


def alone(cell: Cell) -> tuple[Callable[[], list[Tensor]], int]:
    """A function that computes the activation and its gradient; how many a step has."""
    operand, uses = inputs.operand(cell), len(cell.architecture["hidden"])
    return torch_ways.repeated(activation(cell), operand, True, cell.mode), uses


def written(cell: Cell) -> tuple[Any, ...]:
    """The functions that a user writes for the cell's way."""
    return torch_ways.written(cell.architecture["activation"], cell.way)


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
