"""The classifiers in PyTorch's own layers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from millistep.measure.models.classifier.inputs import classes, images, initial_weights, targets
from millistep.measure.models.classifier.work import features

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.image_regression import Loss, adam, channels_first

Optimizer = Callable[[torch.nn.Module], torch.optim.Optimizer]  # of a model's parameters


def sgd(model: torch.nn.Module) -> torch.optim.Optimizer:
    """Return gradient descent with the default rate of Keras' SGD."""
    return torch.optim.SGD(model.parameters(), lr=0.01)


OPTIMIZERS: dict[str, Optimizer] = {"adam": adam, "sgd": sgd}  # as Keras names them


def build(cell: Cell) -> Any:
    """Return the model with its loss, and with what trains it."""
    a = cell.architecture
    return Classifier(torch.nn.Sequential(*_layers(a)), OPTIMIZERS[a["optimizer"]])


def optimizer(model: Any) -> Any:
    """Return the optimizer that the model is built for."""
    return model.optimizer(model)


def batch(cell: Cell, batch_size: int) -> Any:
    """Return keyword arguments of the forward pass, as NumPy arrays, channels first."""
    labels = classes(cell, batch_size) if cell.task == "fit" else None
    return feed(cell, images(cell, batch_size), labels)


def feed(cell: Cell, pixels: np.ndarray, labels: np.ndarray | None) -> Any:
    """Return images and classes as the forward pass takes them; without classes for predict."""
    if pixels.ndim == 4:
        pixels = channels_first(pixels)
    if labels is None:
        return {"images": pixels}
    found = targets(labels, cell.architecture)
    # Torch's loss takes 64-bit indices.
    return {"images": pixels, "targets": found if found.ndim == 2 else found.astype(np.int64)}


def start(model: Any, cell: Cell) -> None:
    """Give a model the weights that its training begins with."""
    with torch.no_grad():
        for parameter, array in zip(model.parameters(), initial_weights(cell), strict=True):
            # Outputs come before inputs here, and both before the sides of a filter.
            turned = array.transpose(3, 2, 0, 1) if array.ndim == 4 else array.T
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(turned)))


class Classifier(torch.nn.Module):
    """A model and its loss in one module, so that both are compiled together."""

    def __init__(self, net: torch.nn.Module, optimizer: Optimizer) -> None:
        super().__init__()
        self.net, self.optimizer = net, optimizer

    def forward(self, images: Any, targets: Any = None) -> Any:
        """Compute the output. images: (batch, inputs) or (batch, channels, height, width). targets:
        indices (batch,) or shares (batch, classes), without which the probabilities of the classes
        are returned.
        """
        logits = self.net(images)
        if targets is None:
            return torch.softmax(logits, dim=1)
        return Loss(torch.nn.functional.cross_entropy(logits, targets))


def _layers(a: Architecture) -> Iterator[torch.nn.Module]:
    channels = a["inputs"][-1]
    for filters, kernel in a["filters"]:
        yield torch.nn.Conv2d(channels, filters, kernel)
        yield torch.nn.ReLU()
        yield torch.nn.MaxPool2d(2)
        channels = filters
    if a["filters"]:
        yield torch.nn.Flatten()
    width = features(a)
    for hidden in a["hidden"]:
        yield torch.nn.Linear(width, hidden)
        yield torch.nn.ReLU()
        width = hidden
    if a["dropout"]:
        yield torch.nn.Dropout(a["dropout"])
    yield torch.nn.Linear(width, a["classes"])
