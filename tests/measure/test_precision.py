"""The precision of a product, found from products rounded as the hardware rounds them."""

import numpy as np
import pytest

from millistep.measure.frameworks.products import CHANNELS, KERNEL, SIZE, used


def rounded(x, bits):
    """x with so many bits after the leading one."""
    return np.round(x * 2**bits) / 2**bits


@pytest.mark.parametrize("off", [0, 2**-15, -(2**-15)])  # more than by Winograd's way
@pytest.mark.parametrize(("bits", "name"), [(23, "float32"), (10, "tf32"), (7, "bfloat16")])
def test_the_bits_that_a_product_keeps_name_its_precision(bits, name, off):
    def product(left, ones):
        terms = SIZE if left.ndim == 2 else CHANNELS * KERNEL**2
        return rounded(left, bits) * ones.flat[0] * np.float32(terms) * (1 + off)

    found = used(product, product)
    assert found == {"matmul_precision": name, "convolution_precision": name}
