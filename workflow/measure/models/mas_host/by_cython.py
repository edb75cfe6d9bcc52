"""Monotonic alignment search in Cython."""

from pathlib import Path

import numpy as np

from measure.native import cython_build
from measure.native.host_ways import Way


def way() -> Way:
    """Build the extension beside this file."""
    extension = cython_build.extension(Path(__file__).with_name("mas.pyx"))

    def mas(value: np.ndarray) -> np.ndarray:
        """The token of each frame, int32. value: float32 of (batch, frames, tokens)."""
        path = np.empty(value.shape[:2], np.int32)
        extension.mas(value, np.empty(value.shape[1:], np.float32), path)
        return path

    return Way(mas, (mas,), "cython")
