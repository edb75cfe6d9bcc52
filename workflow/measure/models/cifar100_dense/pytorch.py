"""The dense model for CIFAR-100 in PyTorch."""

from measure.models.classifier.pytorch import attention, batch, build, feed, library, start
from measure.models.image_regression import adam as optimizer

__all__ = ["attention", "batch", "build", "feed", "library", "optimizer", "start"]
