"""Stable Diffusion from KerasCV on Keras 2."""

from millistep.measure.models.stable_diffusion.keras3 import *  # noqa: F403 (the same on both)
