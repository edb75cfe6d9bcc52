"""Products and copies with NumPy, which has only float32 of the dtypes asked for."""

from collections.abc import Callable

import numpy as np


class Library:
    lacks = ("bfloat16", "tf32")

    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        # Its pool is as large as OPENBLAS_NUM_THREADS said at the import.
        self._random = np.random.default_rng(seed)

    def live_accelerator(self) -> tuple[str, str]:
        return "cpu", f"numpy {np.__version__}"

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        left, right = (self._random.standard_normal((size, size), np.float32) for _ in range(2))
        out = np.empty_like(left)
        return lambda: np.matmul(left, right, out=out)

    def copy(self, mib: int) -> Callable[[], object]:
        source = self._random.standard_normal((mib, 2**20 // 4), np.float32)
        target = np.empty_like(source)
        return lambda: np.copyto(target, source)

    def fence(self) -> None:
        """A call returns when its result is there."""
