"""The operations in JAX, in each way; all are called inside of jitted functions."""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from measure.native import build, c_calls


@cache
def operation(name: str, way: str) -> Callable[..., Any]:
    """An operation's function on float32 arrays, built when it is first asked for."""
    if way == "framework":
        return FRAMEWORK[name]
    if way == "callback":
        c_calls.loaded(name)
        return CALLBACK[name]()
    built = build.library(f"{name}_jax", way, ["-std=c++17", f"-I{jax.ffi.include_dir()}"])
    return NATIVE[name](str(built.path))


def written(name: str, way: str) -> tuple[Any, ...]:
    """The Python functions that a user writes for an operation in a given way."""
    if way == "framework":
        return (FRAMEWORK[name],)
    shared = () if name == "mas" else (like,)
    if way == "callback":
        return (*c_calls.written(name), *shared, CALLBACK[name])
    return (register, *shared, NATIVE[name])


def mas(value: Any) -> Any:
    """The token of each frame, int32 of (batch, frames); value: (batch, frames, tokens)."""
    batch, _, tokens = value.shape
    rows = value.swapaxes(0, 1)
    unreachable = jnp.full((batch, 1), -jnp.inf)

    def forward(best: Any, row: Any) -> Any:
        advance = jnp.concatenate([unreachable, best[:, :-1]], 1)
        return row + jnp.maximum(best, advance), advance > best

    def backward(token: Any, advanced: Any) -> Any:
        return token - jnp.take_along_axis(advanced, token[:, None], 1)[:, 0], token

    best = jnp.where(jnp.arange(tokens) == 0, rows[0], -jnp.inf)
    _, advances = jax.lax.scan(forward, best, rows[1:])
    last = jnp.full(batch, tokens - 1, jnp.int32)
    first, path = jax.lax.scan(backward, last, advances.astype(jnp.int32), reverse=True)
    return jnp.concatenate([first[None], path]).T


def telu(x: Any) -> Any:
    """x tanh(exp x)."""
    return x * jnp.tanh(jnp.exp(x))


def snake(x: Any, a: float) -> Any:
    """x + sin(a x)^2 / a."""
    return x + jnp.sin(a * x) ** 2 / a


def register(path: str, *names: str) -> None:
    """Make functions of a library known to XLA."""
    library = ctypes.CDLL(path)
    for name in names:
        handler = jax.ffi.pycapsule(getattr(library, name))
        jax.ffi.register_ffi_target(name, handler, platform="cpu")


def native_mas(path: str) -> Callable[..., Any]:
    """The search as a foreign function in a library."""
    register(path, "Mas")

    def mas(value: Any) -> Any:
        path = jax.ShapeDtypeStruct(value.shape[:2], jnp.int32)
        return jax.ffi.ffi_call("Mas", path)(value)

    return mas


def native_telu(path: str) -> Callable[..., Any]:
    """TeLU and its gradient as foreign functions in a library."""
    register(path, "Telu", "TeluBackward")

    @jax.custom_vjp
    def telu(x: Any) -> Any:
        return jax.ffi.ffi_call("Telu", like(x))(x)

    def backward(x: Any, dy: Any) -> Any:
        return (jax.ffi.ffi_call("TeluBackward", like(x))(x, dy),)

    telu.defvjp(lambda x: (telu(x), x), backward)
    return telu


def native_snake(path: str) -> Callable[..., Any]:
    """Snake and its gradient as foreign functions in a library; `a` is an attribute of both."""
    register(path, "Snake", "SnakeBackward")

    @partial(jax.custom_vjp, nondiff_argnums=(1,))
    def snake(x: Any, a: float) -> Any:
        return jax.ffi.ffi_call("Snake", like(x))(x, a=np.float32(a))

    def backward(a: float, x: Any, dy: Any) -> Any:
        return (jax.ffi.ffi_call("SnakeBackward", like(x))(x, dy, a=np.float32(a)),)

    snake.defvjp(lambda x, a: (snake(x, a), x), backward)
    return snake


def called_mas() -> Callable[..., Any]:
    """The search in C, through a callback."""

    def mas(value: Any) -> Any:
        path = jax.ShapeDtypeStruct(value.shape[:2], jnp.int32)
        return jax.pure_callback(c_calls.mas, path, value)

    return mas


def called_telu() -> Callable[..., Any]:
    """TeLU and its gradient in C, through callbacks."""
    in_c, gradient_in_c = c_calls.activation("telu")

    @jax.custom_vjp
    def telu(x: Any) -> Any:
        return jax.pure_callback(in_c, like(x), x)

    def backward(x: Any, dy: Any) -> Any:
        return (jax.pure_callback(gradient_in_c, like(x), x, dy),)

    telu.defvjp(lambda x: (telu(x), x), backward)
    return telu


def called_snake() -> Callable[..., Any]:
    """Snake and its gradient in C, through callbacks."""
    in_c, gradient_in_c = c_calls.activation("snake")

    @partial(jax.custom_vjp, nondiff_argnums=(1,))
    def snake(x: Any, a: float) -> Any:
        return jax.pure_callback(lambda x: in_c(x, a), like(x), x)

    def backward(a: float, x: Any, dy: Any) -> Any:
        return (jax.pure_callback(lambda x, dy: gradient_in_c(x, dy, a), like(x), x, dy),)

    snake.defvjp(lambda x, a: (snake(x, a), x), backward)
    return snake


def like(x: Any) -> Any:
    """Shape and type of a result that looks like the operand."""
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


FRAMEWORK: dict[str, Callable[..., Any]] = {"mas": mas, "telu": telu, "snake": snake}
NATIVE = {"mas": native_mas, "telu": native_telu, "snake": native_snake}
CALLBACK = {"mas": called_mas, "telu": called_telu, "snake": called_snake}
