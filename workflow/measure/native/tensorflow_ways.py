"""The operations in TensorFlow, in each way.

XLA takes only TensorFlow's own operations: a function with one of ours or a callback in it runs as
a graph.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf

from measure.native import build, c_calls


@cache
def operation(name: str, way: str) -> Callable[..., Any]:
    """An operation's function on float32 arrays, built when it is first asked for."""
    if way == "framework":
        return FRAMEWORK[name]
    if way == "callback":
        c_calls.loaded(name)
        return CALLBACK[name]
    flags = tf.sysconfig.get_compile_flags(), tf.sysconfig.get_link_flags()
    return NATIVE[name](str(build.library(f"{name}_tensorflow", way, *flags).path))


def written(name: str, way: str) -> tuple[Any, ...]:
    """The Python functions that a user writes for an operation in a given way."""
    if way == "framework":
        return (FRAMEWORK[name],)
    if way == "callback":
        shared = () if name == "mas" else (in_c,)
        return (*c_calls.written(name), *shared, CALLBACK[name])
    return (NATIVE[name],)


def mas(value: Any) -> Any:
    """Tokens, int32 (batch, frames); value: (batch, frames, tokens), the last two static."""
    frames, tokens = value.shape[1:]
    batch = tf.shape(value)[0]
    rows = tf.transpose(value, [1, 0, 2])
    unreachable = tf.fill([batch, 1], -np.inf)

    def forward(frame: Any, best: Any, advances: Any) -> Any:
        advance = tf.concat([unreachable, best[:, :-1]], 1)
        advances = advances.write(frame, tf.cast(advance > best, tf.int32))
        return frame + 1, tf.gather(rows, frame) + tf.maximum(best, advance), advances

    def backward(frame: Any, place: Any, path: Any) -> Any:
        before = place - tf.gather(tf.gather(moves, frame), place)
        return frame - 1, before, path.write(frame - 1, before)

    best = tf.where(tf.range(tokens) == 0, rows[0], -np.inf)
    advances = tf.TensorArray(tf.int32, frames, element_shape=(value.shape[0], tokens))
    advances = advances.write(0, tf.zeros([batch, tokens], tf.int32))
    start = (tf.constant(1), best, advances)
    *_, advances = tf.while_loop(lambda frame, *_: frame < frames, forward, start)
    # The moves of all items in one row, so that a step back looks up every item's token at once.
    moves = tf.reshape(advances.stack(), [frames, -1])
    first = tf.range(batch) * tokens
    last = first + tokens - 1
    path = tf.TensorArray(tf.int32, frames, element_shape=(value.shape[0],)).write(frames - 1, last)
    start = (tf.constant(frames - 1), last, path)
    *_, path = tf.while_loop(lambda frame, *_: frame > 0, backward, start)
    return tf.transpose(path.stack() - first)


def telu(x: Any) -> Any:
    """x tanh(exp x)."""
    return x * tf.tanh(tf.exp(x))


def snake(x: Any, a: float) -> Any:
    """x + sin(a x)^2 / a."""
    return x + tf.square(tf.sin(a * x)) / a


def native_mas(path: str) -> Callable[..., Any]:
    """The search as an operator in a library."""
    return tf.load_op_library(path).mas


def native_telu(path: str) -> Callable[..., Any]:
    """TeLU and its gradient as operators in a library."""
    operators = tf.load_op_library(path)

    @tf.custom_gradient
    def telu(x: Any) -> Any:
        return operators.telu(x), lambda dy: operators.telu_backward(x, dy)

    return telu


def native_snake(path: str) -> Callable[..., Any]:
    """Snake and its gradient as operators in a library; `a` is an attribute of both."""
    operators = tf.load_op_library(path)

    def snake(x: Any, a: float) -> Any:
        @tf.custom_gradient
        def of(x: Any) -> Any:
            return operators.snake(x, a=a), lambda dy: operators.snake_backward(x, dy, a=a)

        return of(x)

    return snake


def called_mas(value: Any) -> Any:
    """The search in C, through a callback."""
    path = tf.numpy_function(c_calls.mas, [value], tf.int32, stateful=False)
    return tf.ensure_shape(path, value.shape[:2])


def called_telu(x: Any) -> Any:
    """TeLU and its gradient in C, through callbacks."""
    return in_c("telu", x)


def called_snake(x: Any, a: float) -> Any:
    """Snake and its gradient in C, through callbacks."""
    return in_c("snake", x, a)


def in_c(name: str, x: Any, *parameters: float) -> Any:
    """An activation and its gradient in C, on the NumPy arrays that TensorFlow's callbacks get."""

    def call(function: Callable[..., Any], *operands: Any) -> Any:
        def on_arrays(*arrays: np.ndarray) -> np.ndarray:
            return function(*arrays, *parameters)

        result = tf.numpy_function(on_arrays, operands, tf.float32, stateful=False)
        return tf.ensure_shape(result, x.shape)

    forward, backward = c_calls.activation(name)

    @tf.custom_gradient
    def of(x: Any) -> Any:
        return call(forward, x), lambda dy: call(backward, x, dy)

    return of(x)


FRAMEWORK: dict[str, Callable[..., Any]] = {"mas": mas, "telu": telu, "snake": snake}
NATIVE = {"mas": native_mas, "telu": native_telu, "snake": native_snake}
CALLBACK: dict[str, Callable[..., Any]] = {
    "mas": called_mas,
    "telu": called_telu,
    "snake": called_snake,
}
