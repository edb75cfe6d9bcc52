"""The operations in Keras 3, by the ways of the backend that it has."""

from collections.abc import Callable
from typing import Any

import keras


def operation(name: str, way: str) -> Callable[..., Any]:
    """A function on the backend's tensors, built when it is first asked for."""
    return of_backend().operation(name, way)


def written(name: str, way: str) -> tuple[Any, ...]:
    """The Python functions that a user writes for it."""
    return of_backend().written(name, way)


def of_backend() -> Any:
    """The module with the ways. It imports its library, so none but the backend's is imported."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        from measure.native import tensorflow_ways

        return tensorflow_ways
    if backend == "jax":
        from measure.native import jax_ways

        return jax_ways
    from measure.native import torch_ways

    return torch_ways
