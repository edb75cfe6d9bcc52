"""The model with TeLU in PyTorch."""

from functools import partial

from measure.models.activation_net import pytorch as of_any
from measure.models.activation_net.pytorch import attention, batch, library, optimizer
from measure.models.telu_net.inputs import OPERATION, expected
from measure.native.torch_steps import outputs

__all__ = [
    "alone",
    "attention",
    "batch",
    "build",
    "expected",
    "library",
    "losses",
    "optimizer",
    "outputs",
    "written",
]

build = partial(of_any.build, OPERATION)
losses = partial(of_any.losses, OPERATION)
alone = partial(of_any.alone, OPERATION)
written = partial(of_any.written, OPERATION)
