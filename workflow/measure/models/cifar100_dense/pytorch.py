"""The dense net for CIFAR-100 in PyTorch."""

from measure.models.classifier.pytorch import attention, batch, build, library
from measure.models.image_regression import adam as optimizer

__all__ = ["attention", "batch", "build", "library", "optimizer"]
