"""The Keras of this process; not a model itself."""

import os

# Set by the framework that runs Keras 2.
if os.environ.get("TF_USE_LEGACY_KERAS"):
    from tensorflow import keras
else:
    import keras

__all__ = ["keras"]
