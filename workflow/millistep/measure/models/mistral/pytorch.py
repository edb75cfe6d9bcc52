"""Mistral from HuggingFace Transformers."""

from typing import Any

import transformers

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.causal_lm import pytorch as causal_lm
from millistep.measure.models.causal_lm.pytorch import *  # noqa: F403 (all but build)
from millistep.measure.models.mistral.work import SPECIAL


def build(cell: Cell) -> Any:
    return causal_lm.build(cell, config(cell.architecture), SPECIAL, "mistralai/Mistral-7B-v0.1")


def config(a: Architecture) -> Any:
    sizes = causal_lm.sizes(a)
    return transformers.MistralConfig(sliding_window=a["sliding_window"], **sizes)
