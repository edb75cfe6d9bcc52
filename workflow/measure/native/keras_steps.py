"""What models around an operation share in Keras 3: calls of it alone, and first steps of fit."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import keras
import numpy as np

from measure.frameworks import Cell
from measure.libraries.keras import auto_jit_compile
from measure.models import xla

Function = Callable[[Any], Any]
Call = Callable[[], list[Any]]


def options(cell: Cell) -> dict[str, str | bool]:
    """Options of ``compile()`` about ``jit_compile``: the rule of all models, except that XLA takes
    nothing of TensorFlow's with an operator of ours in it.
    """
    foreign = cell.way != "framework" and keras.backend.backend() == "tensorflow"
    if foreign and not isinstance(cell.jit_compile, bool):
        return {"jit_compile": False}
    return xla.options(cell, keras)


def repeated(cell: Cell, function: Function, operand: np.ndarray, backward: bool) -> Call:
    """A function that calls another as a step of the cell does and waits: its output and, where
    asked for, its gradient, with ones as that of the output.
    """
    of_backend = {"tensorflow": _in_tensorflow, "jax": _in_jax, "torch": _in_torch}
    jit = bool(options(cell).get("jit_compile", auto_jit_compile(keras)))
    return of_backend[keras.backend.backend()](function, operand, backward, jit)


def outputs(cell: Cell, results: list[Any]) -> dict[str, np.ndarray]:
    """Results by name: ``output`` and, where there is one, ``gradient``."""
    return dict(zip(("output", "gradient"), map(keras.ops.convert_to_numpy, results), strict=False))


def losses(
    build: Callable[[Cell], Any],
    batch: Callable[[Cell, int], Any],
    cell: Cell,
    way: str,
    steps: int,
) -> list[float]:
    """Losses of the first training steps of a new model, in a given way."""
    tried = replace(cell, way=way)
    model, data = build(tried), batch(tried, cell.batch_size)
    # Each epoch is one step, because Keras tells the mean loss of an epoch.
    trained = {"epochs": steps, "batch_size": cell.batch_size, "shuffle": False, "verbose": 0}
    found: list[float] = keras.Model.fit(model, *data, **trained).history["loss"]
    return found


def _in_tensorflow(function: Function, operand: np.ndarray, backward: bool, jit: bool) -> Call:
    import tensorflow as tf

    x = tf.constant(operand)

    @tf.function(jit_compile=jit)
    def step(x: Any) -> list[Any]:
        if not backward:
            return [function(x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return [y, tape.gradient(y, x)]

    # On the host a call returns when it is done; waiting would take longer than a small operation.
    waits = bool(tf.config.list_logical_devices("GPU"))

    def call() -> list[Any]:
        found = step(x)
        if waits:
            tf.test.experimental.sync_devices()
        return found

    return call


def _in_jax(function: Function, operand: np.ndarray, backward: bool, jit: bool) -> Call:
    import jax

    x = jax.numpy.asarray(operand)

    def step(x: Any) -> list[Any]:
        if not backward:
            return [function(x)]
        y, pulled_back = jax.vjp(function, x)
        return [y, *pulled_back(jax.numpy.ones_like(y))]

    called = jax.jit(step) if jit else step
    return lambda: jax.block_until_ready(called(x))


def _in_torch(function: Function, operand: np.ndarray, backward: bool, jit: bool) -> Call:
    from measure.native import torch_ways

    return torch_ways.repeated(function, operand, backward, jit)
