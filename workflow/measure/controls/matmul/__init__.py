"""Matrix products and copies, in one module per library, each with a class ``Library``."""

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from measure.conformance import check_device


class Library(Protocol):
    """A library with the threads of the runs, imported with its module.

    Built with ``(accelerator, threads, seed)``. It may say in ``lacks`` of which dtypes it has no
    products.
    """

    def live_accelerator(self) -> tuple[str, str]:
        """Where it computes now, see :mod:`measure.live`."""

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        """Issues one product of two square matrices of seeded random numbers, computed in
        ``float32``, ``tf32`` or ``bfloat16``.
        """

    def copy(self, mib: int) -> Callable[[], object]:
        """Issues one copy within the memory of the device."""

    def fence(self) -> None:
        """Wait until everything issued so far is done."""


def library(request: dict[str, Any]) -> Library:
    """The library that was asked for, ready to compute where it was asked to."""
    module = importlib.import_module(f"measure.controls.matmul.{request['library']}")
    found: Library = module.Library(request["accelerator"], request["threads"], request["seed"])
    check_device(request["accelerator"], found.live_accelerator)
    return found
