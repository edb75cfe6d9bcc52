"""Products and copies with PyTorch."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import torch

from millistep.measure import live

CALLS = 4  # of a way to multiply on a processor, before the faster one is taken


class Library:
    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self._device = accelerator
        self._seed = seed

    def live_accelerator(self) -> tuple[str, str]:
        return live.of_torch(torch, torch.empty(0, device=self._device))

    @cached_property
    def _random(self) -> Any:
        return torch.Generator(self._device).manual_seed(self._seed)

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        kind = torch.bfloat16 if dtype == "bfloat16" else torch.float32
        left, right = (self._normal(size, size).to(kind) for _ in range(2))
        out = torch.empty_like(left)

        def product() -> object:
            return torch.mm(left, right, out=out)

        if (self._device, dtype) == ("cpu", "float32"):
            return _faster(product, _as_convolution(left, right))
        return product

    def copy(self, mib: int) -> Callable[[], object]:
        source = torch.ones(mib, 2**20 // 4, device=self._device)
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def fence(self) -> None:
        if self._device == "cuda":
            torch.cuda.synchronize()

    def _normal(self, *shape: int) -> Any:
        return torch.randn(*shape, generator=self._random, device=self._device)


def _as_convolution(left: Any, right: Any) -> Callable[[], object]:
    """Return the product as a convolution by oneDNN: MKL, which PyTorch takes, makes half as many
    FLOP/s on CPUs of another vendor: 235 against 453 GFLOP/s on two cores of an EPYC.
    """
    last = torch.channels_last
    pixels = left.t().reshape(1, left.shape[1], -1, 32).contiguous(memory_format=last)
    filters = right.t().reshape(*right.t().shape, 1, 1).contiguous(memory_format=last)
    return lambda: torch.nn.functional.conv2d(pixels, filters)


def _faster(*ways: Callable[[], object]) -> Callable[[], object]:
    """Return the function with the fastest call of a few: the first is slow, and one may be
    disturbed.
    """

    def seconds(way: Callable[[], object]) -> float:
        start = time.perf_counter()
        way()
        return time.perf_counter() - start

    return min(ways, key=lambda way: min(seconds(way) for _ in range(CALLS)))
