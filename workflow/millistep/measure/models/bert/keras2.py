"""BERT from KerasNLP, the last release with Keras 2 code."""

from millistep.measure.models.bert.keras3 import *  # noqa: F403 (the same on both)
