"""A model trained on images by mean squared error, in native PyTorch; not a model by itself."""

from typing import NamedTuple

import numpy as np
import torch


class Loss(NamedTuple):
    """Result of the forward pass that a training step needs, named as Transformers names it."""

    loss: torch.Tensor


class ImageRegression(torch.nn.Module):  # type: ignore[misc]  # the base is of any type
    """A model and its loss in one module, so that both are compiled together."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: torch.Tensor, targets: torch.Tensor) -> Loss:
        """Return the loss. images: (batch, 3, height, width); targets: as the output."""
        return Loss(torch.nn.functional.mse_loss(self.network(images), targets))


def channels_first(images: np.ndarray) -> np.ndarray:
    """Return images with channels last as PyTorch takes them."""
    return np.ascontiguousarray(images.transpose(0, 3, 1, 2))


def adam(model: torch.nn.Module) -> torch.optim.Optimizer:
    """Adam with the constants that Keras' Adam has by default."""
    return torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
