# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False
"""The operations in Triton, for a GPU: kernels, and the PyTorch operators that launch them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.library import triton_op, wrap_triton

from measure.native.torch_ways import differentiable

BLOCK = 1024  # numbers that one program computes


def operation(name: str) -> Callable[..., Any]:
    """The function mas(value), telu(x) or snake(x, a) on tensors of a GPU."""
    return {"mas": mas, "telu": telu, "snake": snake}[name]()


def written(name: str) -> tuple[Any, ...]:
    """The kernels and functions that a user writes for an operation."""
    return tuple(getattr(each, "fn", each) for each in WRITTEN[name])


@triton.jit
def mas_kernel(value, best, path, frames, tokens, WIDTH: tl.constexpr):
    """Search for one item: the sums frame by frame, of all tokens at once; then the path back."""
    item = tl.program_id(0).to(tl.int64)
    value += item * frames * tokens
    best += item * frames * tokens
    path += item * frames
    token = tl.arange(0, WIDTH)
    inside = token < tokens
    now = tl.where(token == 0, tl.load(value), -1e30)
    tl.store(best + token, now, mask=inside)
    for frame in range(1, frames):
        tl.debug_barrier()  # the sum of the token before is another thread's
        behind = best + (frame - 1) * tokens + token - 1
        advance = tl.load(behind, mask=inside & (token > 0), other=-1e30)
        now = tl.maximum(now, advance) + tl.load(value + frame * tokens + token, mask=inside)
        tl.store(best + frame * tokens + token, now, mask=inside)
    tl.debug_barrier()
    at = tokens - 1
    for back in range(1, frames):
        frame = frames - back
        tl.store(path + frame, at)
        before = best + (frame - 1) * tokens
        advanced = tl.load(before + tl.maximum(at - 1, 0)) > tl.load(before + at)
        at = tl.where(advanced, at - 1, at)
    tl.store(path, 0)


def mas() -> Callable[..., Any]:
    """A program for each item."""

    @triton_op("millistep::mas_triton", mutates_args={})
    def search(value: Tensor) -> Tensor:
        value = value.contiguous()
        batch, frames, tokens = value.shape
        path = value.new_empty((batch, frames), dtype=torch.int32)
        best = torch.empty_like(value)
        width = triton.next_power_of_2(tokens)
        wrap_triton(mas_kernel)[(batch,)](value, best, path, frames, tokens, WIDTH=width)
        return path

    return search


@triton.jit
def telu_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    given = tl.load(x + at, mask=at < n)
    s = tl.exp(-2 * tl.exp(given))
    tl.store(y + at, given * (1 - s) / (1 + s), mask=at < n)


@triton.jit
def telu_gradient_kernel(x, dy, dx, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    given = tl.load(x + at, mask=at < n)
    e = tl.exp(given)
    s = tl.exp(-2 * e)
    # 1 - tanh^2 is 4 s / (1 + s)^2; where e is beyond that, s is zero, and e may not be finite.
    slope = tl.where(e < 40, e * 4 * s / ((1 + s) * (1 + s)), 0)
    found = (1 - s) / (1 + s) + given * slope
    tl.store(dx + at, tl.load(dy + at, mask=at < n) * found, mask=at < n)


def telu() -> Callable[..., Any]:
    """TeLU as an operator, with its gradient."""

    @triton_op("millistep::telu_triton", mutates_args={})
    def forward(x: Tensor) -> Tensor:
        return elementwise(telu_kernel, x)

    @triton_op("millistep::telu_triton_gradient", mutates_args={})
    def gradient(x: Tensor, dy: Tensor) -> Tensor:
        return elementwise(telu_gradient_kernel, x, dy)

    differentiable("millistep::telu_triton", gradient)
    return forward


@triton.jit
def snake_kernel(x, y, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    given = tl.load(x + at, mask=at < n)
    s = tl.sin(a * given)
    tl.store(y + at, given + s * s / a, mask=at < n)


@triton.jit
def snake_gradient_kernel(x, dy, dx, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    given = tl.load(x + at, mask=at < n)
    found = 1 + tl.sin(2 * a * given)
    tl.store(dx + at, tl.load(dy + at, mask=at < n) * found, mask=at < n)


def snake() -> Callable[..., Any]:
    """Snake as an operator, with its gradient."""

    @triton_op("millistep::snake_triton", mutates_args={})
    def forward(x: Tensor, a: float) -> Tensor:
        return elementwise(snake_kernel, x, constants=(a,))

    @triton_op("millistep::snake_triton_gradient", mutates_args={})
    def gradient(x: Tensor, dy: Tensor, a: float) -> Tensor:
        return elementwise(snake_gradient_kernel, x, dy, constants=(a,))

    differentiable("millistep::snake_triton", gradient)
    return forward


def elementwise(kernel: Any, *operands: Tensor, constants: tuple[float, ...] = ()) -> Tensor:
    """Run a kernel on all numbers of its operands; the result looks like the first one."""
    operands = tuple(each.contiguous() for each in operands)
    result, n = torch.empty_like(operands[0]), operands[0].numel()
    grid = (triton.cdiv(n, BLOCK),)
    wrap_triton(kernel)[grid](*operands, result, *constants, n, BLOCK=BLOCK)
    return result


SHARED = (elementwise, differentiable)
WRITTEN: dict[str, tuple[Any, ...]] = {
    "mas": (mas_kernel, mas),
    "telu": (telu_kernel, telu_gradient_kernel, telu, *SHARED),
    "snake": (snake_kernel, snake_gradient_kernel, snake, *SHARED),
}
