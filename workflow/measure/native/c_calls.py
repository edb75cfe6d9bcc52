"""Calls the C kernels through ctypes, on NumPy arrays, for every framework's callback."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from measure.native import build

Array = np.ndarray


@cache
def loaded(operation: str) -> ctypes.CDLL:
    """The library of an operation, built when it is first asked for."""
    return ctypes.CDLL(str(build.library(f"{operation}_c", "callback").path))


def pointer(array: Array) -> ctypes.c_void_p:
    """Pointer to the numbers of an array, which C may read or write."""
    return ctypes.c_void_p(array.ctypes.data)


def mas(value: Array) -> Array:
    """The token of each frame, int32 (batch, frames); value: float32 of (batch, frames, tokens)."""
    value = np.ascontiguousarray(value, np.float32)
    path = np.empty(value.shape[:2], np.int32)
    sizes = map(ctypes.c_int64, value.shape)
    if loaded("mas").c_mas(pointer(value), pointer(path), *sizes):
        raise MemoryError("no memory for the sums of the paths")
    return path


def activation(name: str) -> tuple[Callable[..., Array], Callable[..., Array]]:
    """``forward(x, *parameters)`` and ``backward(x, dy, *parameters)`` of telu or snake."""

    def call(function: str, parameters: tuple[float, ...], *operands: Array) -> Array:
        arrays = [np.ascontiguousarray(each, np.float32) for each in operands]
        result = np.empty_like(arrays[0])
        numbers: list[Any] = [*map(ctypes.c_float, parameters), ctypes.c_int64(result.size)]
        getattr(loaded(name), function)(*map(pointer, [*arrays, result]), *numbers)
        return result

    def forward(x: Array, *parameters: float) -> Array:
        return call(f"c_{name}_forward", parameters, x)

    def backward(x: Array, dy: Array, *parameters: float) -> Array:
        return call(f"c_{name}_backward", parameters, x, dy)

    return forward, backward


def written(name: str) -> tuple[Callable[..., Any], ...]:
    """The functions of this module that a user writes for an operation."""
    return (loaded, pointer, mas if name == "mas" else activation)
