"""The classifiers in Keras 3."""

from functools import partial

import keras
from millistep.measure.models.classifier import layers

batch, feed, start = layers.batch, layers.feed, layers.start
build = partial(layers.build, keras)
