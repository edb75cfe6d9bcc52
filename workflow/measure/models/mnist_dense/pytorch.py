"""The dense model for MNIST in PyTorch."""

from measure.models.classifier.pytorch import attention, batch, build, feed, library, start
from measure.models.classifier.pytorch import sgd as optimizer

__all__ = ["attention", "batch", "build", "feed", "library", "optimizer", "start"]
