"""BERT from KerasHub."""

from millistep.measure.models.bert.keras_hub import *  # noqa: F403 (the same on both)
