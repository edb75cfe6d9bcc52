"""Products and copies with PyTorch."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import torch

from measure import live


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
        return lambda: torch.mm(left, right, out=out)

    def copy(self, mib: int) -> Callable[[], object]:
        source = torch.ones(mib, 2**20 // 4, device=self._device)
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def fence(self) -> None:
        if self._device == "cuda":
            torch.cuda.synchronize()

    def _normal(self, *shape: int) -> Any:
        return torch.randn(*shape, generator=self._random, device=self._device)
