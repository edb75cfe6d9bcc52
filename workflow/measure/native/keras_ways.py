"""The operations in Keras 3: those of its backend's library, in that one's ways."""

from collections.abc import Callable
from typing import Any

import keras


def operation(name: str, way: str) -> Callable[..., Any]:
    """An operation's function on the backend's tensors, built when it is first asked for."""
    return of_backend().operation(name, way)


def written(name: str, way: str) -> tuple[Any, ...]:
    """The Python functions that a user writes for an operation in a given way."""
    return of_backend().written(name, way)


def of_backend() -> Any:
    """The ways' module of the backend. Each imports its library, so only this one is imported."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        from measure.native import tensorflow_ways

        return tensorflow_ways
    if backend == "jax":
        from measure.native import jax_ways

        return jax_ways
    from measure.native import torch_ways

    return torch_ways
