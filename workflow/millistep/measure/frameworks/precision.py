"""Finds by computing, not by reading flags, how float32 numbers are multiplied and flushed.

TF32 keeps 10 bits of each factor and bfloat16 7, so a factor that needs more
comes back rounded. Sums of it are exact in float32, except those of a convolution
by Winograd's algorithm.
"""

from collections.abc import Callable
from typing import Any

SIZE = 512  # of square matrices; large enough for the libraries' fast paths
CHANNELS, KERNEL = 64, 3  # of a convolution
FINE = 1 + 2**-12  # kept by float32 alone
COARSE = 1 + 2**-9  # kept by TF32 too, not by bfloat16
NEAR = 2**-14  # a quarter of the least rounding loss, and more than Winograd's algorithm loses


def used(matmul: Callable[[float], Any], convolution: Callable[[float], Any]) -> dict[str, str]:
    """Precision of matrix products and of convolutions: ``float32``, ``tf32`` or ``bfloat16``.

    matmul: takes a number x, returns an element of the product of a SIZE x SIZE
    float32 matrix of x's with one of ones. convolution: the same of an image of
    x's with CHANNELS channels and a KERNEL x KERNEL filter of ones.
    """
    return {
        "matmul_precision": _kept(matmul, SIZE),
        "convolution_precision": _kept(convolution, CHANNELS * KERNEL * KERNEL),
    }


def _kept(product: Callable[[float], Any], terms: int) -> str:
    def near(x: float) -> bool:
        return abs(float(product(x)) / terms - x) < NEAR

    return "float32" if near(FINE) else "tf32" if near(COARSE) else "bfloat16"


COUNT = 2**18  # elements: enough work for all threads of a pool to take part
TINY = 0x000AE398  # the bits of 1e-39 in float32, whose smallest normal number is 1.2e-38


def flushed(halve: Callable[[Any], Any]) -> bool:
    """Return True if the halves of denormal numbers all come back as zeros.

    halve: takes a float32 NumPy array, returns one with the halves, computed as a step is.
    Bits are written and looked at, since converting or comparing numbers may flush as well.
    """
    import numpy as np

    tiny = np.full(COUNT, TINY, np.uint32).view(np.float32)
    return not np.asarray(halve(tiny)).view(np.uint32).any()
