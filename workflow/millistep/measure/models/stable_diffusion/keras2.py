"""Stable Diffusion from KerasCV on Keras 2."""

from millistep.measure.models.stable_diffusion.kerascv import *  # noqa: F403 (the same on both)
