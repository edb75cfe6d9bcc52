"""BERT from KerasNLP, the last release with Keras 2 code."""

from functools import partial
from typing import Any

import keras_nlp
import tensorflow as tf

from millistep.measure.models.bert import keras_hub as bert

batch, build = bert.batch, partial(bert.build, tf.keras, keras_nlp)


def attention(model: Any) -> str:
    """Return the only implementation of Keras 2."""
    return "einsum"
