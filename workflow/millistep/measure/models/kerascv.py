"""KerasCV, for the models that come from it; not a model itself.

It runs on Keras 2 and on Keras 3 with any backend, and imports TensorFlow for
its data layers in each of them.
"""

from typing import Any

from millistep.measure.frameworks import WrongFramework


def load_with_keras2() -> tuple[Any, Any]:
    """Return ``(keras, keras_cv)`` on tf-keras; the caller has chosen it (TF_USE_LEGACY_KERAS)."""
    import keras_cv
    import tensorflow as tf
    from keras_cv.src.backend import config

    if config.keras_3():
        raise WrongFramework("expected KerasCV on Keras 2, it chose Keras 3")
    return tf.keras, keras_cv


def load_with_keras3() -> tuple[Any, Any]:
    """Return ``(keras, keras_cv)`` on the backend that Keras was started with."""
    import keras

    if keras.backend.backend() != "tensorflow":
        import tensorflow as tf

        # Otherwise its first operation would take the memory of the GPU that is measured.
        tf.config.set_visible_devices([], "GPU")
    import keras_cv

    return keras, keras_cv
