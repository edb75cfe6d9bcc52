"""Monotonic alignment search in C, called through cffi."""

import numpy as np

from measure.native import cffi_build
from measure.native.build import HERE
from measure.native.host_ways import Way

DECLARED = "int c_mas(const float *, int32_t *, int64_t, int64_t, int64_t);"


def way() -> Way:
    """Build the C code that the frameworks' callbacks call, with cffi's wrapper around it."""
    ffi, c = cffi_build.extension(DECLARED, HERE / "mas_c.c")

    def mas(value: np.ndarray) -> np.ndarray:
        """The token of each frame, int32. value: float32 of (batch, frames, tokens)."""
        path = np.empty(value.shape[:2], np.int32)
        scores = ffi.from_buffer("float[]", value)
        if c.c_mas(scores, ffi.from_buffer("int32_t[]", path), *value.shape):
            raise MemoryError("no memory for the sums of the paths")
        return path

    return Way(mas, (cffi_build.extension, mas), "cffi")
