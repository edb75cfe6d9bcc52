"""Products and copies with JAX."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from millistep.measure import live


class Library:
    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        # XLA's pool on the host has one thread per processor of the affinity mask.
        self._on_host = accelerator == "cpu"
        self._seed = seed
        self._last = None

    def live_accelerator(self) -> tuple[str, str]:
        return live.of_jax(jax)

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        kind = jnp.bfloat16 if dtype == "bfloat16" else jnp.float32
        keys = jax.random.split(jax.random.key(self._seed))
        left, right = (jax.random.normal(key, (size, size)).astype(kind) for key in keys)
        precision = {"float32": "float32", "tf32": "tensorfloat32", "bfloat16": None}[dtype]
        compiled = jax.jit(lambda a, b: jnp.matmul(a, b, precision=precision))
        return lambda: self._issued(compiled(left, right))

    def copy(self, mib: int) -> Callable[[], object]:
        source = jax.random.normal(jax.random.key(self._seed), (mib, 2**20 // 4))
        if self._on_host:  # where JAX would spend its time on fresh pages
            target = np.empty_like(source)
            return lambda: np.copyto(target, source)
        return lambda: self._issued(jnp.copy(source))

    def fence(self) -> None:
        # A device works in the order of issue: the last result is ready after all others.
        jax.block_until_ready(self._last)

    def _issued(self, result: Any) -> None:
        self._last = result
