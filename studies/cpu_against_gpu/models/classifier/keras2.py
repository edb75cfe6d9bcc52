"""The classifiers in Keras 2."""

from functools import partial

import tensorflow as tf
from millistep.measure.models.classifier import layers

batch, feed, start = layers.batch, layers.feed, layers.start
build = partial(layers.build, tf.keras)
