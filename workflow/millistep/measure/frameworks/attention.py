"""Finds the fused kernels of attention among the kernels that a device ran, by the names that their
libraries give them.

A CUDA graph is replayed without the operators that it was recorded from, and XLA has no operators:
there only the kernels show the attention. They are named as PyTorch's operators are, so that
columns can be compared.
"""

import re
from collections.abc import Iterable

OPERATOR = "scaled_dot_product_"  # how the names of PyTorch's fused operators begin
KERNELS = {
    "flex_attention": re.compile(r"_tem_fused\w*flex_attention"),
    f"{OPERATOR}cudnn_attention": re.compile(r"cudnn\w*_sdpa_"),
    f"{OPERATOR}efficient_attention": re.compile(r"fmha_cutlass"),
    f"{OPERATOR}flash_attention": re.compile(r"flash_?(attn_?)?(fwd|bwd)", re.IGNORECASE),
}


def operators(names: Iterable[str]) -> set[str]:
    """Return PyTorch's fused operators among all that ran; its ``_math`` is attention written
    out.
    """
    ran = {name.removeprefix("aten::_").removesuffix("_backward") for name in names}
    return {name for name in ran if name.startswith(OPERATOR) and not name.endswith("_math")}


def fused(kernels: Iterable[str]) -> list[str]:
    """Return the operators that kernels of these names belong to, in alphabetical order."""
    names = set(kernels)
    return [operator for operator, kind in KERNELS.items() if any(map(kind.search, names))]
