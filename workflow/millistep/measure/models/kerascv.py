"""KerasCV, for the models that come from it; not a model itself.

It runs on Keras 2 and on Keras 3 with any backend, and imports TensorFlow for
its data layers in each of them.
"""

import tensorflow as tf

from millistep.measure.models.keras_module import keras

if keras.backend.backend() != "tensorflow":
    # Otherwise its first operation would take the memory of the GPU that is measured.
    tf.config.set_visible_devices([], "GPU")
import keras_cv

__all__ = ["keras", "keras_cv"]
