"""The Keras of this process; not a model itself."""

import os
from typing import Any

# Set by the framework that runs Keras 2.
if os.environ.get("TF_USE_LEGACY_KERAS"):
    from tensorflow import keras
else:
    import keras

__all__ = ["keras", "to_numpy"]


def to_numpy(tensor: Any) -> Any:
    """Bring one of the backend's tensors to the host."""
    return keras.ops.convert_to_numpy(tensor) if hasattr(keras, "ops") else tensor.numpy()
