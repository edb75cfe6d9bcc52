"""The model with Snake in Keras 3, on any backend."""

from functools import partial

from measure.models.activation_net import keras3 as net
from measure.models.activation_net.keras3 import attention, batch
from measure.models.snake_net.inputs import OPERATION, expected
from measure.native.keras_steps import outputs

__all__ = ["alone", "attention", "batch", "build", "expected", "losses", "outputs", "written"]

build = partial(net.build, OPERATION)
losses = partial(net.losses, OPERATION)
alone = partial(net.alone, OPERATION)
written = partial(net.written, OPERATION)
