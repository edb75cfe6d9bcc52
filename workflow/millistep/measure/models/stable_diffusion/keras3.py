"""Stable Diffusion from KerasCV on Keras 3."""

from millistep.measure.models.stable_diffusion.kerascv import *  # noqa: F403 (the same on both)
