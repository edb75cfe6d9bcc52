"""Segment Anything from KerasCV on Keras 3."""

from millistep.measure.models.sam.kerascv import *  # noqa: F403 (the same on both)
