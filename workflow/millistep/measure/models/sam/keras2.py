"""Segment Anything from KerasCV on Keras 2."""

from millistep.measure.models.sam.kerascv import *  # noqa: F403 (the same on both)
