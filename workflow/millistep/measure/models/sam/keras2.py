"""Segment Anything from KerasCV on Keras 2."""

from millistep.measure.models.sam.keras3 import *  # noqa: F403 (the same on both)
