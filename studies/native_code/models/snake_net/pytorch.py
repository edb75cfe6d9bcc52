"""The network in PyTorch; its activation is made of PyTorch operations."""

import torch
from millistep.measure.models.native.arrays import check
from millistep.measure.models.native.torch_operator import Loss, optimizer, set_weights
from millistep.measure.models.snake_net import inputs
from millistep.measure.models.snake_net.snake_torch import snake
from torch.nn.functional import mse_loss

__all__ = ["batch", "build", "build_with", "optimizer"]


def build(cell):
    return build_with(cell, snake)


def build_with(cell, snake):
    """Return the network for fit, the activation alone for predict, with a checked activation."""
    a, operand = cell.architecture["a"], inputs.operand(cell, 2)
    x = torch.from_numpy(operand).to(cell.accelerator).requires_grad_()
    y = snake(x, a)
    y.backward(torch.ones_like(y))
    output, gradient = inputs.snake(operand, a)
    check("output", y.detach().cpu(), output)
    check("gradient", x.grad.cpu(), gradient)
    if cell.task == "predict":
        return Activation(snake, a)
    model = Net(inputs.shapes(cell.architecture), Activation(snake, a))
    set_weights(model, inputs.initial_weights(cell))
    return model


def batch(cell, batch_size):
    if cell.task == "predict":
        return {"x": inputs.operand(cell, batch_size)}
    return {"x": inputs.vectors(cell, batch_size), "targets": inputs.targets(cell, batch_size)}


class Activation(torch.nn.Module):
    """The activation as a model."""

    def __init__(self, snake, a):
        super().__init__()
        self.snake, self.a = snake, a

    def forward(self, x):
        return self.snake(x, self.a)


class Net(torch.nn.Module):
    """Dense layers with the activation between them; the loss is the mean squared error."""

    def __init__(self, shapes, activation):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(*shape) for shape in shapes)
        self.activation = activation

    def forward(self, x, targets):
        *hidden, last = self.layers
        for layer in hidden:
            x = self.activation(layer(x))
        return Loss(mse_loss(last(x), targets))
