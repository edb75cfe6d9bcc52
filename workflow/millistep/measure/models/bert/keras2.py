"""BERT from KerasNLP, the last release with Keras 2 code."""

from millistep.measure.models.bert.keras_hub import *  # noqa: F403 (the same on both)
