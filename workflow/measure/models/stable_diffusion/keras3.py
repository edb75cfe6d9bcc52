"""Stable Diffusion from KerasCV on Keras 3."""

from typing import Any

from measure.frameworks import Cell
from measure.models import Tick, kerascv
from measure.models.stable_diffusion import kerascv as stable_diffusion

keras, keras_cv = kerascv.load_with_keras3()
batch, attention = stable_diffusion.batch, stable_diffusion.attention


def build(cell: Cell) -> Any:
    """A compiled model: the VAE's image encoder with Adam and mse for fit, the UNet for predict."""
    return stable_diffusion.build(keras, keras_cv, cell)


def sample(model: Any, cell: Cell, batch_size: int, tick: Tick) -> dict[str, Any]:
    """Make steps of KerasCV's sampler around the UNet, with ``tick()`` before each."""
    return stable_diffusion.sample(keras_cv, model, cell, batch_size, tick)


LOOPS = {"predict": sample}
