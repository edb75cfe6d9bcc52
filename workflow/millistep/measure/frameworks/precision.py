"""Finds by computing, not by reading flags, how float32 numbers are multiplied and flushed.

TF32 keeps 10 bits of each factor and bfloat16 7, so a factor that needs more
comes back rounded. Sums of it are exact in float32, except those of a convolution
by Winograd's algorithm.
"""

from collections.abc import Callable
from typing import Any

Product = Callable[[Any, Any], Any]  # of two float32 NumPy arrays, by the library's own function
SIZE = 512  # of square matrices; large enough for the libraries' fast paths
CHANNELS, KERNEL = 64, 3  # of a convolution
FINE = 1 + 2**-12  # kept by float32 alone
COARSE = 1 + 2**-9  # kept by TF32 too, not by bfloat16
NEAR = 2**-14  # a quarter of the least rounding loss, and more than Winograd's algorithm loses


def used(matmul: Product, convolution: Product, channels_first: bool = False) -> dict[str, str]:
    """Precision of matrix products and of convolutions: ``float32``, ``tf32`` or ``bfloat16``.

    channels_first: order of the axes of images and filters, here and in the result.
    """
    square = (SIZE, SIZE)
    images, filters = (1, 32, 32, CHANNELS), (KERNEL, KERNEL, CHANNELS, CHANNELS)
    if channels_first:
        images, filters = (1, CHANNELS, 32, 32), (CHANNELS, CHANNELS, KERNEL, KERNEL)
    return {
        "matmul_precision": _kept(matmul, square, square, SIZE),
        "convolution_precision": _kept(convolution, images, filters, CHANNELS * KERNEL * KERNEL),
    }


def _kept(product: Product, left: tuple[int, ...], right: tuple[int, ...], terms: int) -> str:
    import numpy as np

    def near(x: float) -> bool:
        result = product(np.full(left, x, np.float32), np.ones(right, np.float32))
        return abs(float(result[(0,) * len(left)]) / terms - x) < NEAR

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
