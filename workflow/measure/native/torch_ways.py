"""The operations in PyTorch, in each way: its own operations, C++, a callback into C, Triton."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from measure.native import build, c_calls

Function = Callable[..., Any]


@cache
def operation(name: str, way: str) -> Function:
    """The function mas(value), telu(x) or snake(x, a) on tensors, built when first asked for."""
    if way == "framework":
        return FRAMEWORK[name]
    if way == "triton":  # CPU environments have no Triton
        from measure.native import triton_ways

        return triton_ways.operation(name)
    if way == "callback":
        return mas_callback() if name == "mas" else activation_callback(name)
    return mas_operator(way) if name == "mas" else activation_operator(name, way)


def written(name: str, way: str) -> tuple[Any, ...]:
    """The Python functions that a user writes for an operation in a given way."""
    if way == "triton":
        from measure.native import triton_ways

        return triton_ways.written(name)
    if way == "framework":
        return (FRAMEWORK[name],)
    kind = "mas" if name == "mas" else "activation"
    if way == "callback":
        return (*CALLBACKS[kind], *c_calls.written(name))
    return OPERATORS[kind]


def mas(value: Tensor) -> Tensor:
    """The token of each frame, by loops over frames, with all items and tokens at once."""
    batch, frames, tokens = value.shape
    # One more column in front of the tokens, from which no path comes.
    best = value.new_full((frames, batch, tokens + 1), -torch.inf)
    best[0, :, 1] = value[:, 0, 0]
    for frame in range(1, frames):
        before, now = best[frame - 1], best[frame, :, 1:]
        torch.maximum(before[:, 1:], before[:, :-1], out=now)
        now += value[:, frame]
    advanced = (best[:-1, :, :-1] > best[:-1, :, 1:]).long()
    token = torch.full((batch, 1), tokens - 1, device=value.device)
    path = [token]
    for frame in range(frames - 2, -1, -1):
        token = token - advanced[frame].gather(1, token)
        path.append(token)
    return torch.cat(path[::-1], dim=1).int()


def not_unrolled(search: Function) -> Function:
    """The search, which torch.compile then goes around: it would unroll the loop over frames, which
    takes minutes for a hundred.
    """
    found: Function = torch.compiler.disable(search)
    return found


def telu(x: Tensor) -> Tensor:
    """x tanh(exp x)."""
    return x * torch.tanh(torch.exp(x))


def snake(x: Tensor, a: float) -> Tensor:
    """x + sin(a x)^2 / a."""
    return x + torch.sin(a * x) ** 2 / a


FRAMEWORK: dict[str, Function] = {"mas": mas, "telu": telu, "snake": snake}


def load(binding: str, way: str) -> None:
    """Compile an operator for PyTorch's stable ABI, and add it to ``torch.ops``."""
    folder = Path(torch.__file__).parent
    compiled = build.library(
        binding,
        way,
        ["-std=c++17", f"-I{folder / 'include'}"],
        [f"-L{folder / 'lib'}", "-ltorch_cpu"],
    )
    torch.ops.load_library(compiled.path)


def mas_operator(way: str) -> Function:
    """The search in C++; torch.compile is told the shape of what it returns."""
    load("mas_torch", way)

    @torch.library.register_fake("millistep::mas")
    def shape(value: Tensor) -> Tensor:
        return value.new_empty(value.shape[:2], dtype=torch.int32)

    found: Function = torch.ops.millistep.mas
    return found


def activation_operator(name: str, way: str) -> Function:
    """An activation in C++, with its gradient."""
    load(f"{name}_torch", way)
    with_shapes(f"millistep::{name}")
    differentiable(f"millistep::{name}", getattr(torch.ops.millistep, f"{name}_gradient"))
    found: Function = getattr(torch.ops.millistep, name)
    return found


def with_shapes(name: str) -> None:
    """Tell torch.compile that an operator and its gradient return tensors like the operand."""
    for operator in (name, f"{name}_gradient"):
        torch.library.register_fake(operator, lambda x, *others: torch.empty_like(x))


def differentiable(name: str, gradient: Function) -> None:
    """Register the gradient of an operator with respect to its first argument."""

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, *ctx.constants = inputs
        ctx.save_for_backward(x)

    def backward(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
        (x,) = ctx.saved_tensors
        return (gradient(x, dy, *ctx.constants), *(None for _ in ctx.constants))

    torch.library.register_autograd(name, backward, setup_context=keep)


def mas_callback() -> Function:
    """The search in C, through ctypes from an operator in Python."""

    @torch.library.custom_op("millistep::mas_callback", mutates_args=())
    def found(value: Tensor) -> Tensor:
        return torch.from_numpy(c_calls.mas(value.numpy(force=True))).to(value.device)

    @found.register_fake
    def shape(value: Tensor) -> Tensor:
        return value.new_empty(value.shape[:2], dtype=torch.int32)

    return found


def activation_callback(name: str) -> Function:
    """An activation and its gradient in C, through ctypes from operators in Python."""
    operator, constant = f"millistep::{name}_callback", ", float a" if name == "snake" else ""
    signatures = (f"(Tensor x{constant}) -> Tensor", f"(Tensor x, Tensor dy{constant}) -> Tensor")
    for ending, signature, function in zip(
        ("", "_gradient"), signatures, c_calls.activation(name), strict=True
    ):
        torch.library.define(f"{operator}{ending}", signature)
        torch.library.impl(f"{operator}{ending}", "default", on_arrays(function))
    with_shapes(operator)
    differentiable(operator, getattr(torch.ops.millistep, f"{name}_callback_gradient"))
    found: Function = getattr(torch.ops.millistep, f"{name}_callback")
    return found


def on_arrays(function: Function) -> Function:
    """Turn a function of NumPy arrays and numbers into one of tensors and numbers."""

    def call(*given: Any) -> Tensor:
        arrays = (each.numpy(force=True) if isinstance(each, Tensor) else each for each in given)
        return torch.from_numpy(function(*arrays)).to(given[0].device)

    return call


# The functions that a user writes, for a search and for an activation with its gradient.
OPERATORS: dict[str, tuple[Function, ...]] = {
    "mas": (load, mas_operator),
    "activation": (load, activation_operator, with_shapes, differentiable),
}
CALLBACKS: dict[str, tuple[Function, ...]] = {
    "mas": (mas_callback,),
    "activation": (activation_callback, on_arrays, with_shapes, differentiable),
}


def as_in_steps(function: Function, jit: bool | str | None) -> Function:
    """The function compiled if the steps are; jit: may name the mode of torch.compile."""
    mode = jit if isinstance(jit, str) else None
    return torch.compile(function, mode=mode) if jit else function


def repeated(
    function: Function,
    operand: np.ndarray,
    backward: bool,
    jit: bool | str | None = None,
    forward: Callable[[], AbstractContextManager[Any]] = torch.no_grad,
) -> Callable[[], list[Tensor]]:
    """A function that calls one of a tensor as a step does, and waits for what it returns: its
    output and, where it is asked for, the gradient of the sum of all outputs.

    forward: the context in which a step without a gradient computes. ``inference_mode`` costs less
    than ``no_grad`` where an operation is a thousand small ones.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.from_numpy(operand).to(device).requires_grad_(backward)
    called, ones = as_in_steps(function, jit), torch.ones_like(x)

    def call() -> list[Tensor]:
        x.grad = None
        with torch.enable_grad() if backward else forward():
            y = called(x)
        if backward:
            y.backward(ones)
        if device == "cuda":
            torch.cuda.synchronize()
        return [y.detach(), x.grad] if x.grad is not None else [y]

    return call
